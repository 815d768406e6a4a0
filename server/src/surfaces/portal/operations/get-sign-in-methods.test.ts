import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { startPortal } from "../testing/server.ts";

/** As a browser that reached the server by this name. */
function asked(url: string, host: string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    request(`${url}/api/sign-in`, { headers: { host } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>));
    })
      .on("error", reject)
      .end();
  });
}

test("passkeys are offered where browsers make them", async () => {
  const cases = [
    ["https://portal.example", "portal.example", true, null],
    ["http://portal.example", "portal.example", false, null],
    ["https://192.0.2.1", "192.0.2.1", false, null],
    ["https://[2001:db8::1]:8443", "[2001:db8::1]:8443", false, null],
    ["http://127.0.0.1:8080", "127.0.0.1:8080", false, "http://localhost:8080"],
    ["http://127.0.0.1:8080", "localhost:8080", true, null],
    ["http://localhost:8080", "localhost:8080", true, null],
    ["http://[::1]:8080", "[::1]:8080", false, "http://localhost:8080"],
  ] as const;
  for (const [portalUrl, host, passkeys, passkeyUrl] of cases) {
    const server = await startPortal({ portalUrl });
    try {
      const expected = { passkeys, passkey_url: passkeyUrl, oidc: null, sends_email: false };
      assert.deepEqual(await asked(server.url, host), expected, `${portalUrl} by ${host}`);
    } finally {
      await server.close();
    }
  }
});

test("on this machine by its number there are none, and the refusal says where there are", async () => {
  const server = await startPortal({ portalUrl: "http://127.0.0.1:8080" });
  try {
    const browser = await server.signedIn(await server.settle());
    for (const path of ["/api/account/passkeys/options", "/api/sign-in/passkey/options"]) {
      const refused = await browser.call("POST", path, {});
      assert.equal(refused.json["code"], "conflict");
      assert.match(refused.text, /http:\/\/localhost:8080/);
    }
    const byName = await browser.call("GET", "/api/session", undefined, { origin: "http://localhost:8080" });
    assert.equal(byName.status, 200);
  } finally {
    await server.close();
  }
});
