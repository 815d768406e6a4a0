import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { createPeerReader } from "./peer.ts";

function request(remoteAddress: string, headers: Record<string, string> = {}, encrypted = false): IncomingMessage {
  return { socket: { remoteAddress, encrypted }, headers } as unknown as IncomingMessage;
}

test("reads forwarded fields of trusted proxies only", () => {
  const forwarded = { "x-forwarded-for": "6.6.6.6, 203.0.113.9, 10.0.0.2", "x-forwarded-proto": "https" };
  const nobody = createPeerReader([]);
  assert.deepEqual(nobody(request("10.0.0.1", forwarded)), { ip: "10.0.0.1", isSecure: false });
  assert.deepEqual(nobody(request("::ffff:10.0.0.1", {}, true)), { ip: "10.0.0.1", isSecure: true });
  const proxies = createPeerReader(["10.0.0.0/8", "::1"]);
  assert.deepEqual(proxies(request("10.0.0.1", forwarded)), { ip: "203.0.113.9", isSecure: true });
  assert.deepEqual(proxies(request("::1", forwarded)), { ip: "203.0.113.9", isSecure: true });
  assert.deepEqual(proxies(request("203.0.113.9", forwarded)), { ip: "203.0.113.9", isSecure: false });
  assert.deepEqual(proxies(request("10.0.0.1", { "x-forwarded-for": "nonsense" })), {
    ip: "10.0.0.1",
    isSecure: false,
  });
});
