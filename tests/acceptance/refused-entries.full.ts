/** Refused entries of every protocol are counted by sender and reason, with samples, for those who may read the project. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { refused } from "../fixtures/http.ts";
import { eventually } from "../fixtures/process.ts";
import { PROTOCOL_BODIES } from "../fixtures/protocol-bodies.ts";
import { useSharedServer } from "../fixtures/server.ts";
import { ingest, logEntry } from "../fixtures/telemetry.ts";

interface Item {
  readonly sender: { readonly kind: string; readonly id: string; readonly name: string | null };
  readonly project_id: string | null;
  readonly protocol: string;
  readonly reason: string;
  readonly entries: number;
  readonly requests: number;
  readonly samples: readonly { readonly pointer: string; readonly detail: string; readonly entry: string | null }[];
}

const shared = useSharedServer();

async function listed(query: string, token = shared.token): Promise<readonly Item[]> {
  const path = `/v1/telemetry/refused?${query}`;
  const answer = await shared.server.call<{ items: Item[] }>("GET", path, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.items;
}

/** Waits until the counts of the last seconds are written. */
const listedOnce = (query: string, count: number): Promise<readonly Item[]> =>
  eventually(
    `${count} items`,
    async () => {
      const items = await listed(query);
      return items.length >= count ? items : null;
    },
    30_000,
  );

async function newKey(): Promise<{ id: string; key: string }> {
  const json = { name: "shop agent", project: shared.home.project.slug };
  const answer = await shared.server.call<{ id: string; key: string }>("POST", "/v1/ingest-keys", {
    token: shared.token,
    json,
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

test("entries of every protocol are counted by sender and reason", async () => {
  const { id, key } = await newKey();
  const mark = randomUUID().slice(0, 8);
  for (const make of Object.values(PROTOCOL_BODIES)) {
    const { path, headers, body } = make([`${mark}_a`, `${mark}_b`], Date.parse("2099-01-01T00:00:00Z"));
    await fetch(shared.server.origin + path, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${key}` },
      body: new Uint8Array(body),
    });
  }
  const protocols = ["elasticsearch", "loki", "otlp protobuf", "prometheus", "splunk"];
  const items = await listedOnce(`sender=${id}&reason=in_future`, protocols.length);
  const counted = new Set(items.map(({ protocol }) => protocol));
  for (const protocol of protocols) assert.ok(counted.has(protocol), `${protocol}: ${[...counted].join(", ")}`);
  for (const { sender, project_id: project, protocol, entries, requests, samples } of items) {
    assert.deepEqual(sender, { kind: "credential", id, name: "shop agent" });
    assert.equal(project, shared.home.project.id);
    assert.ok(entries >= requests && requests >= 1, protocol);
    assert.match(samples[0]?.detail ?? "", /^is in the future: entries after /, protocol);
    assert.match(samples[0]?.entry ?? "", new RegExp(mark), protocol);
  }
});

test("a request and its entries are counted by their first fault; samples have no long values and no secrets", async () => {
  const { id, key } = await newKey();
  const entries = [
    logEntry("fine"),
    logEntry(`token ${key}`, { level: 5 }),
    logEntry("x".repeat(500), { level: 6 }),
    { ...logEntry("no level"), level: undefined },
    logEntry("other", { colour: "red", level: 7 }),
  ];
  refused(await ingest(shared.server, key, "logs", entries), 400, "invalid_body");
  const lenient = await ingest(shared.server, key, "logs", entries, { headers: { prefer: "handling=lenient" } });
  assert.deepEqual([lenient.status, lenient.body.accepted], [202, 1]);
  // A body of this size is checked in another thread.
  const large = Array.from({ length: 1000 }, (_, i) => logEntry("y".repeat(700), { timestamp: `day ${i}` }));
  refused(await ingest(shared.server, key, "logs", large), 400, "invalid_body");
  const items = await listedOnce(`sender=${id}`, 4);
  const counts = Object.fromEntries(items.map((item) => [item.reason, [item.entries, item.requests]]));
  assert.deepEqual(counts, {
    bad_timestamp: [1000, 1],
    bad_value: [4, 2],
    missing_member: [2, 2],
    unknown_member: [2, 2],
  });
  const text = JSON.stringify(items);
  assert.ok(!text.includes(key) && !text.includes("x".repeat(100)) && text.includes("mrik_…"), text);
});

test("a request that can't be read counts as a request without entries", async () => {
  const { id, key } = await newKey();
  const answer = await fetch(`${shared.server.origin}/v1/ingest/logs`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: "{",
  });
  assert.equal(answer.status, 400);
  const [item] = await listedOnce(`sender=${id}`, 1);
  assert.deepEqual([item?.reason, item?.entries, item?.requests], ["unreadable", 0, 1]);
  assert.match(item?.samples[0]?.detail ?? "", /not valid JSON/);
});
