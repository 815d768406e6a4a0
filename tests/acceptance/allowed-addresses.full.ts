/**
 * Allowed addresses of credentials and keys: every surface refuses requests from other addresses, and reads forwarded
 * addresses of trusted proxies only.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { s3UrlOf } from "../fixtures/s3.ts";
import { showLogs, startServer, type Server } from "../fixtures/server.ts";
import { newHolder, SURFACES, type Ground } from "../fixtures/surfaces.ts";

/** Ranges without an address of this machine. */
const ELSEWHERE = ["10.0.0.0/8", "2001:db8::/32"];
const INSIDE = { "x-forwarded-for": "10.1.2.3" };
const servers: Server[] = [];

showLogs(() => servers);
after(async () => {
  for (const server of servers) await server.dispose();
});

interface Place {
  readonly ground: Ground;
  readonly token: string;
}

async function start(settings: Readonly<Record<string, string>>): Promise<Place> {
  const server = await startServer({ settings });
  servers.push(server);
  const home = await server.bootstrap();
  const token = await server.token(home.credential);
  const holder = await newHolder(server, home, token);
  return { token, ground: { server, home, holder, s3Url: await s3UrlOf(server) } };
}

/** Sets the list of the credential and of the key. */
async function allowOnly({ ground, token }: Place, allowed_addresses: readonly string[] | null): Promise<void> {
  const { server, holder } = ground;
  for (const path of [`/v1/credentials/${holder.id}`, `/v1/s3/keys/${holder.key.id}`]) {
    const answer = await server.call("PATCH", path, { token, json: { allowed_addresses } });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body["allowed_addresses"], allowed_addresses);
  }
}

for (const [where, settings] of [
  ["without a proxy", {}],
  ["behind a trusted proxy", { trusted_proxies: "127.0.0.1" }],
] as const) {
  describe(where, () => {
    const isTrusted = where === "behind a trusted proxy";
    let place: Place;
    before(async () => {
      place = await start(settings);
    });

    test("everything is open without a list", async () => {
      for (const { name, send } of SURFACES) {
        const answer = await send(place.ground, {});
        assert.ok(answer.status < 400, `${name}: ${answer.status} ${answer.text}`);
      }
    });

    test("every surface refuses, also for tokens that were issued before", async () => {
      await allowOnly(place, ELSEWHERE);
      for (const { name, send, refusal } of SURFACES) {
        const answer = await send(place.ground, {});
        assert.equal(answer.status, refusal.status, `${name}: ${answer.text}`);
        assert.match(answer.text, refusal.code, name);
        assert.match(answer.text, /127\.0\.0\.1/, `${name} names the address`);
      }
    });

    test(
      isTrusted
        ? "a client address from the proxy that is in the list is allowed"
        : "a made-up X-Forwarded-For helps nobody",
      async () => {
        for (const { name, send } of SURFACES) {
          const answer = await send(place.ground, INSIDE);
          if (isTrusted) assert.ok(answer.status < 400, `${name}: ${answer.status} ${answer.text}`);
          else assert.notEqual(Math.floor(answer.status / 100), 2, `${name} let a forged address in`);
        }
      },
    );

    if (isTrusted)
      test("addresses that the sender put before the proxy's address do not count", async () => {
        for (const { name, send } of SURFACES) {
          const answer = await send(place.ground, { "x-forwarded-for": "10.1.2.3, 203.0.113.9" });
          assert.notEqual(Math.floor(answer.status / 100), 2, `${name} let a forged address in`);
        }
      });

    test("a tail ends within a second when the list no longer has its reader", async () => {
      await allowOnly(place, null);
      const { server, holder } = place.ground;
      const headers = { authorization: `Bearer ${holder.token}`, accept: "text/event-stream" };
      const stream = await fetch(`${server.origin}/v1/tail/logs`, { headers });
      assert.equal(stream.status, 200);
      await allowOnly(place, ELSEWHERE);
      const changedMs = performance.now();
      await stream.text();
      const tookMs = performance.now() - changedMs;
      assert.ok(tookMs < 1500, `it took ${tookMs} ms`); // A busy machine may add half a second.
    });

    test("the refusal is in the audit log of the organization only", async () => {
      const { server, holder } = place.ground;
      const entry = await eventually("the refusal to be written", async () => {
        const answer = await server.call<{ items: { target: { id: string } | null; actor: object; detail: object }[] }>(
          "GET",
          "/v1/audit?action=token.refuse&limit=100",
          { token: place.token },
        );
        return answer.body.items.find(({ target }) => target?.id === holder.id) ?? null;
      });
      assert.deepEqual(entry.actor, { kind: "credential", id: holder.id });
      assert.equal((entry.detail as { reason: string }).reason, "address not allowed");
      const other = await server.bootstrap({ org: "globex", project: "plant", app: "reactor" });
      const theirs = await server.token(other.credential);
      const seen = await server.call<{ items: { detail: { client_id?: string } }[] }>("GET", "/v1/audit?limit=100", {
        token: theirs,
      });
      assert.ok(seen.body.items.every(({ detail }) => detail.client_id !== holder.client_id));
      for (const path of [`/v1/credentials/${holder.id}`, `/v1/s3/keys/${holder.key.id}`])
        assert.equal(
          (await server.call("PATCH", path, { token: theirs, json: { allowed_addresses: null } })).status,
          404,
        );
    });

    test("the organization's list and the creator's list count too", async () => {
      const { server } = place.ground;
      await allowOnly(place, ["127.0.0.0/8"]);
      const headers = isTrusted ? INSIDE : {};
      const first = SURFACES[0] ?? assert.fail();
      assert.equal((await first.send(place.ground, {})).status, 200);
      const wide = await server.call("PATCH", "/v1/organization", {
        token: place.token,
        json: { policy: { allowed_addresses: ["127.0.0.1", "10.0.0.0/8"] } },
      });
      assert.equal(wide.status, 200, wide.text);
      assert.equal((await first.send(place.ground, {})).status, 200);
      assert.equal((await first.send(place.ground, INSIDE)).status, isTrusted ? 403 : 200);
      const child = await server.call<{ client_id: string; client_secret: string }>("POST", "/v1/credentials", {
        token: place.token,
        json: { name: "child", scopes: ["org:read"] },
      });
      const childToken = await server.token(child.body);
      const narrow = await server.call(
        "PATCH",
        `/v1/credentials/${String((await server.call("GET", "/v1/me", { token: place.token })).body["id"])}`,
        { token: place.token, json: { allowed_addresses: ["10.0.0.0/8"] } },
      );
      assert.equal(narrow.status, 200, narrow.text);
      const refused = await server.call("GET", "/v1/me", { token: childToken });
      assert.deepEqual([refused.status, refused.body["code"]], [403, "address_not_allowed"]);
      assert.equal((await server.call("GET", "/v1/me", { token: childToken, headers })).status, isTrusted ? 200 : 403);
    });
  });
}
