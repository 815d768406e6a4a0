import assert from "node:assert/strict";
import { test } from "node:test";
import { openListener } from "./listener.ts";
import { createPeerShare, watchPeers, type PeerShare } from "./peer-share.ts";

const MINUTE_MS = 60_000;

function ground(trusted: readonly string[] = []) {
  const warned: object[] = [];
  let nowMs = 1_780_000_000_000;
  const log = { warn: (fields: object) => void warned.push(fields) };
  const peers = createPeerShare({ clock: { nowMs: () => nowMs }, trusted, log });
  return { peers, warned, advance: (ms: number) => void (nowMs += ms) };
}

function send(peers: PeerShare, address: string, times: number, headers = {}): void {
  const socket = { remoteAddress: address } as Parameters<PeerShare["count"]>[0]["socket"];
  for (let i = 0; i < times; i++) peers.count({ socket, headers });
}

test("an address that sends more than half is found and reported once; one with half is not", () => {
  const { peers, warned } = ground();
  for (let i = 0; i < 500; i++) {
    send(peers, "10.0.0.5", 1);
    send(peers, `192.0.2.${i % 50}`, 1);
  }
  assert.equal(peers.dominant(), undefined, "exactly half is not reported");
  send(peers, "::ffff:10.0.0.5", 1000, { "x-forwarded-for": "192.0.2.1" });
  assert.deepEqual(peers.dominant(), { address: "10.0.0.5", share: 0.75, requests: 2000, forwards: true });
  send(peers, "10.0.0.5", 3000);
  assert.deepEqual(warned, [{ address: "10.0.0.5", share: 0.75, requests: 2000, forwards: true }]);
});

test("few requests give no result, and a quiet time clears the result", () => {
  const { peers, advance } = ground();
  send(peers, "10.0.0.5", 999);
  assert.equal(peers.dominant(), undefined);
  send(peers, "10.0.0.5", 1);
  assert.equal(peers.dominant()?.share, 1);
  advance(10 * MINUTE_MS);
  send(peers, "10.0.0.6", 5);
  assert.equal(peers.dominant()?.address, "10.0.0.5", "the result stays until the next judgement");
  advance(10 * MINUTE_MS);
  send(peers, "10.0.0.6", 1);
  assert.equal(peers.dominant(), undefined);
});

test("a loopback address counts as a proxy only if it names the client's address", () => {
  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    const { peers, warned } = ground();
    send(peers, address, 2000);
    assert.deepEqual([peers.dominant(), warned], [undefined, []], address);
    send(peers, address, 1000, { forwarded: "for=192.0.2.1" });
    assert.deepEqual([peers.dominant()?.forwards, warned.length], [true, 1], address);
  }
});

test("a trusted proxy is not reported", () => {
  const { peers, warned } = ground(["10.0.0.0/8", "::1"]);
  send(peers, "10.0.0.5", 2000, { "x-forwarded-for": "192.0.2.1" });
  send(peers, "::1", 9000);
  assert.deepEqual([peers.dominant(), warned], [undefined, []]);
});

test("memory is bounded for any number of addresses, and the busiest one is still found", () => {
  const { peers } = ground();
  for (let i = 0; i < 40_000; i++) {
    send(peers, "10.0.0.5", 3);
    send(peers, `2001:db8::${i.toString(16)}`, 1);
  }
  const found = peers.dominant();
  assert.equal(found?.address, "10.0.0.5");
  assert.ok(found.share > 0.7 && found.share <= 0.75, String(found.share));
});

test("every request that reaches a server is counted, also a refused one", async () => {
  const listener = await openListener("127.0.0.1:0");
  const log = { warn: () => undefined };
  const peers = watchPeers({ clock: { nowMs: () => 1_780_000_000_000 }, trusted: [], log }, [listener]);
  const headers = { "x-forwarded-for": "192.0.2.1" };
  for (let i = 0; i < 10; i++)
    await Promise.all(Array.from({ length: 100 }, () => fetch(`http://${listener.address}/`, { headers })));
  assert.deepEqual(peers.dominant(), { address: "127.0.0.1", share: 1, requests: 1000, forwards: true });
  await listener.stop(1000);
});
