/** Several nodes on one PostgreSQL. Without the database they answer 503, never 401, and recover when it is back. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { DATABASES, postgresUrl } from "../fixtures/databases.ts";
import { postForm, refused } from "../fixtures/http.ts";
import { Person } from "../fixtures/person.ts";
import { eventually } from "../fixtures/process.ts";
import { showLogs, startServer, type Bootstrap, type Client, type Server } from "../fixtures/server.ts";
import { startTcpProxy, type TcpProxy } from "../fixtures/tcp-proxy.ts";
import { startReceiver } from "../fixtures/receiver.ts";
import { EXAMPLES, ingest, logEntry, query, rows } from "../fixtures/telemetry.ts";
import { allEvents, newDestination, newWebhook, acceptedEvent } from "../fixtures/webhooks.ts";

const skip = DATABASES.find(({ kind }) => kind === "postgres")?.skip ?? false;

describe("two nodes on one PostgreSQL", { skip }, () => {
  const nodes: Server[] = [];
  let home: Bootstrap;
  /** The proxy between the first node and the database. */
  let way: TcpProxy | undefined;

  function node(index: number): Server {
    const found = nodes[index];
    assert.ok(found !== undefined);
    return found;
  }

  showLogs(() => nodes);
  before(async () => {
    const direct = new URL(await postgresUrl("nodes"));
    way = await startTcpProxy(Number(direct.port));
    const cuttable = new URL(direct);
    cuttable.port = String(way.port);
    const MOORING_MASTER_KEY = randomBytes(32).toString("hex");
    const settings = { identity_url: "https://id.mooring.example", webhooks_private_addresses: "allow" };
    for (const MOORING_DATABASE_URL of [cuttable.href, direct.href]) {
      nodes.push(
        await startServer({ database: "sqlite", environment: { MOORING_DATABASE_URL, MOORING_MASTER_KEY }, settings }),
      );
    }
    home = await node(0).bootstrap();
  });

  after(async () => {
    for (const each of nodes) await each.dispose();
    await way?.cut();
  });

  test("each node accepts the other's tokens, with one set of keys", async () => {
    const token = await node(0).token(home.credential);
    assert.equal((await node(1).call("GET", "/v1/me", { token })).status, 200);
    const [a, b] = await Promise.all(nodes.map((each) => each.call("GET", "/.well-known/jwks.json")));
    assert.deepEqual(a?.body, b?.body);
  });

  test("a credential revoked on one node fails on both once the call has returned", async () => {
    for (let round = 0; round < 5; round++) {
      const token = await node(0).token(home.credential);
      const made = await node(0).call("POST", "/v1/credentials", {
        token,
        json: { name: "short-lived", scopes: ["org:read"] },
      });
      assert.equal(made.status, 201, made.text);
      const doomed = await node(1).token(made.body as unknown as Client);
      for (const each of nodes) assert.equal((await each.call("GET", "/v1/me", { token: doomed })).status, 200);
      const revoked = await node(0).call("DELETE", `/v1/credentials/${String(made.body["id"])}`, { token });
      assert.deepEqual([revoked.status, revoked.body["propagated"]], [200, true], revoked.text);
      for (const each of nodes) refused(await each.call("GET", "/v1/me", { token: doomed }), 401, "invalid_token");
    }
  });

  test("an ingest key revoked on one node fails on both once the call has returned", async () => {
    const token = await node(0).token(home.credential);
    const json = { name: "shipper" };
    for (let round = 0; round < 5; round++) {
      const made = await node(0).call<{ id: string; key: string }>("POST", "/v1/ingest-keys", { token, json });
      const { id, key } = made.body;
      // A live key gets as far as the entries. None is stored, because a later test stops a node and reads all telemetry.
      for (const each of nodes) refused(await ingest(each, key, "logs", [{}]), 400, "invalid_body");
      const revoked = await node(0).call("DELETE", `/v1/ingest-keys/${id}`, { token });
      assert.deepEqual([revoked.status, revoked.body["propagated"]], [200, true], revoked.text);
      for (const each of nodes) refused(await ingest(each, key, "logs", [{}]), 401, "unauthorized");
    }
  });

  test("an ingest rule of one node applies on both once the call has returned", async () => {
    const token = await node(0).token(home.credential);
    const newRule = async (by: Server, order: number): Promise<string> => {
      const json = { name: "rule", order, types: ["logs"], action: "drop", match: { message_contains: "ruled out" } };
      const made = await by.call("POST", "/v1/ingest-rules", { token, json });
      assert.equal(made.status, 201, made.text);
      return `/v1/ingest-rules/${String(made.body["id"])}`;
    };
    /** Sends one row to each node, which this rule must drop. No row is stored: a query reads only one node's rows. */
    const dropped = async (rule: string, sum: number): Promise<void> => {
      for (const each of nodes) assert.equal((await ingest(each, token, "logs", [logEntry("ruled out")])).status, 202);
      await eventually(
        "the counts of both nodes",
        async () => ((await node(0).call("GET", rule, { token })).body["rows_removed"] === sum ? true : null),
        30_000,
      );
    };
    const last = await newRule(node(0), 2);
    for (const round of [1, 2]) {
      await dropped(last, 2 * round);
      const first = await newRule(node(round % 2), 1);
      await dropped(first, 2);
      assert.equal((await node(1).call("DELETE", first, { token })).status, 204);
    }
    await dropped(last, 6);
    assert.equal((await node(1).call("DELETE", last, { token })).status, 204);
  });

  test("a list of addresses that one node saved applies on both once the call has returned", async () => {
    const token = await node(0).token(home.credential);
    const json = { name: "bound", scopes: ["org:read"] };
    const made = await node(0).call<Client & { id: string }>("POST", "/v1/credentials", { token, json });
    const bound = await node(1).token(made.body);
    for (const allowed_addresses of [["10.0.0.0/8"], null, ["2001:db8::/32"]]) {
      const path = `/v1/credentials/${made.body.id}`;
      const changed = await node(0).call("PATCH", path, { token, json: { allowed_addresses } });
      assert.equal(changed.status, 200, changed.text);
      for (const each of nodes) {
        const answer = await each.call("GET", "/v1/me", { token: bound });
        if (allowed_addresses === null) assert.equal(answer.status, 200, answer.text);
        else refused(answer, 403, "address_not_allowed");
      }
    }
  });

  test("a custom role changed on one node applies on both once the call has returned", async () => {
    const owner = await Person.setUp(node(0), home.owner);
    const person = await Person.invited(owner, "packer@example.org", "guest");
    const scopes = ["org:read", "apps:read", "credentials:read", "credentials:write"];
    const role = await owner.api("POST", "/v1/roles", { slug: "packer", kind: "organization", scopes });
    assert.equal(role.status, 201, role.text);
    const given = { role: "custom", custom_role: "packer" };
    assert.equal((await owner.api("PATCH", `/v1/members/${person.id}`, given)).status, 200);
    const made = await person.api<Client>("POST", "/v1/credentials", { name: "theirs", scopes: ["apps:read"] });
    const tokens = [await node(1).token(made.body), await person.token()];
    for (const token of tokens) assert.equal((await node(1).call("GET", "/v1/apps", { token })).status, 200);
    const changed = await owner.api("PATCH", "/v1/roles/packer", { scopes: ["org:read"] });
    assert.equal(changed.status, 200, changed.text);
    for (const each of nodes)
      for (const token of tokens) refused(await each.call("GET", "/v1/apps", { token }), 403, "insufficient_scope");
  });

  test("a token revoked on one node fails on the other within a second", async () => {
    const token = await node(0).token(home.credential);
    assert.equal((await node(1).call("GET", "/v1/me", { token })).status, 200);
    const form = { token, ...home.credential };
    assert.equal((await postForm(node(0).origin, "/oauth/revoke", form)).status, 200);
    const gone = async (): Promise<true | null> =>
      (await node(1).call("GET", "/v1/me", { token })).status === 401 ? true : null;
    await eventually("the other node to refuse the token", gone, 1000, 10);
  });

  test("events that either node receives are seen on the other, and forwarded once", async () => {
    const token = await node(0).token(home.credential);
    const receiver = await startReceiver();
    try {
      const { id, url } = await newWebhook(node(0), token);
      await newDestination(node(1), token, id, { url: receiver.url });
      const path = new URL(url).pathname;
      const control = new AbortController();
      const stream = await fetch(`${node(1).origin}/v1/webhooks/${id}/stream`, {
        headers: { authorization: `Bearer ${token}` },
        signal: control.signal,
      });
      const ids: string[] = [];
      for (let n = 0; n < 20; n++)
        ids.push(await acceptedEvent(node(n % 2).origin + path, String(n), { "idempotency-key": `n${n}` }));
      for (let n = 0; n < 20; n++)
        assert.equal(
          await acceptedEvent(node((n + 1) % 2).origin + path, String(n), { "idempotency-key": `n${n}` }),
          ids[n],
          "a repetition",
        );
      let text = "";
      for await (const chunk of stream.body ?? []) {
        text += Buffer.from(chunk).toString();
        if (ids.every((each) => text.includes(each))) break;
      }
      control.abort();
      assert.deepEqual(
        (await allEvents(node(1), token, id)).map((event) => event.id),
        ids,
      );
      const came = (): string[] => receiver.received.map(({ headers }) => String(headers["webhook-id"]));
      await eventually("every event to arrive", () => (new Set(came()).size === ids.length ? true : null));
      assert.ok(came().length < 2 * ids.length, "both nodes forwarded them");
    } finally {
      await receiver.close();
    }
  });

  test("without its database a node answers 503 and never 401, and recovers", async () => {
    const one = node(0);
    const token = await one.token(home.credential);
    let accepted = 0;
    await way?.cut();
    try {
      for (const path of ["/v1/projects", "/v1/apps", "/v1/members", "/v1/credentials", "/v1/audit"]) {
        const answer = await one.call("GET", path, { token });
        refused(answer, 503, "unavailable");
        assert.ok(!/postgres|127\.0\.0\.1|database "/.test(answer.text), answer.text);
      }
      assert.equal((await one.call("POST", "/v1/projects", { token, json: { slug: "never" } })).status, 503);
      const asked = await query(one, token, "select count(*) from logs");
      assert.equal(asked.status, 503);
      assert.match(
        asked.text,
        /"code":"(unavailable|telemetry_incomplete)"/,
        "both refusals are possible, in any order",
      );
      assert.equal((await one.call("GET", "/readyz")).status, 503);
      assert.equal((await one.call("GET", "/health")).status, 503);
      assert.equal((await one.call("GET", "/livez")).status, 200);
      const unknown = await postForm(one.origin, "/oauth/token", {
        grant_type: "client_credentials",
        client_id: `mrc_${"0".repeat(26)}`,
        client_secret: home.credential.client_secret,
      });
      assert.equal(unknown.status, 503, "the node can't know whether the client exists");
      // A revocation must apply within a second, so a node may use its memory for that long and no longer.
      await eventually("the node to stop using its memory", async () => {
        const answer = await ingest(one, token, "logs", [EXAMPLES.logs]);
        assert.ok(answer.status === 202 || answer.status === 503, answer.text);
        if (answer.status === 202) accepted += 1;
        return answer.status === 503 ? true : null;
      });
    } finally {
      await way?.restore();
    }
    await eventually("the node to be ready again", async () =>
      (await one.call("GET", "/readyz")).status === 200 ? true : null,
    );
    assert.equal((await one.call("GET", "/v1/projects", { token })).status, 200);
    // Two nodes answer no query of telemetry, so the other one must go. It reports that when it stops in order.
    refused(await query(one, token, "select count(*) as n from logs"), 503, "telemetry_incomplete");
    assert.deepEqual(await node(1).stop(), { code: 0, signal: null });
    assert.deepEqual(
      await rows(one, token, "select count(*) as n from logs"),
      [{ n: accepted }],
      "acknowledged changes exist, and no others",
    );
  });
});
