/** POST /v1/ingest/{type}: the shapes of the reference, the rules of CONTRACT "Telemetry" for each member, and retries. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { refused } from "../fixtures/http.ts";
import { useSharedServer } from "../fixtures/server.ts";
import {
  EXAMPLES,
  REQUIRED,
  TYPES,
  ingest,
  ingested,
  logEntry,
  rows,
  type Entry,
  type TelemetryType,
} from "../fixtures/telemetry.ts";

const shared = useSharedServer();

function send(
  type: string,
  entries: readonly unknown[],
  headers: Record<string, string> = {},
): ReturnType<typeof ingest> {
  return ingest(shared.server, shared.token, type, entries, { headers });
}

for (const type of TYPES) {
  test(`${type} in the reference's form are accepted and come back by SQL`, async () => {
    const answer = await send(type, [EXAMPLES[type]]);
    assert.equal(answer.status, 202, answer.text);
    assert.deepEqual(answer.body, { accepted: 1 });
    const members = Object.keys(EXAMPLES[type]);
    const [row] = await rows(shared.server, shared.token, `select ${members.join(", ")} from ${type}`);
    const expected = { ...EXAMPLES[type], timestamp: new Date(String(EXAMPLES[type]["timestamp"])).getTime() };
    assert.deepEqual({ ...row, timestamp: new Date(String(row?.["timestamp"])).getTime() }, expected);
  });

  test(`${type} with only the required members are accepted`, async () => {
    const entry = Object.fromEntries(REQUIRED[type].map((name) => [name, EXAMPLES[type][name]]));
    await ingested(shared.server, shared.token, type, [entry]);
  });

  test(`${type} without a required member are refused with a pointer to it`, async () => {
    for (const name of REQUIRED[type]) {
      const { [name]: _left, ...rest } = EXAMPLES[type];
      refused(await send(type, [EXAMPLES[type], rest]), 400, "invalid_body", [`/entries/1/${name}`]);
    }
  });

  test(`a member that ${type} do not have is refused by name`, async () => {
    for (const name of ["colour", "Timestamp", "a/b", "~", "", "__proto__", "constructor"]) {
      const text = `{"entries":[${JSON.stringify(EXAMPLES[type]).slice(0, -1)},${JSON.stringify(name)}:"x"}]}`;
      const answer = await shared.server.call("POST", `/v1/ingest/${type}`, { token: shared.token, raw: text });
      refused(answer, 400, "invalid_body", [`/entries/0/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`]);
    }
  });
}

const NOT_STRINGS = [null, 5, true, {}, ["x"]];
const NOT_OBJECTS = [5, "x", [], true];
const NOT_NUMBERS = ["1", null, true, {}, []];
const NOT_TIMES = [
  null,
  5,
  "",
  "yesterday",
  "2026-11-20",
  "08:00:00Z",
  "2026-11-20T08:00:00",
  "2026-02-30T00:00:00Z",
  "2023-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-10T00:00:00Z",
  "2026-11-20T25:00:00Z",
  "2026-11-20T08:60:00Z",
  "2026-11-20T08:00:61Z",
  "2026-11-20T08:00:00.Z",
  "2026-11-20T08:00:00Zx",
  " 2026-11-20T08:00:00Z",
  "20261120T080000Z\u0000",
];

/** Invalid values for each type and member. */
const WRONG: Readonly<Record<TelemetryType, Readonly<Record<string, readonly unknown[]>>>> = {
  logs: {
    timestamp: NOT_TIMES,
    level: [...NOT_STRINGS, "x".repeat(33)],
    message: NOT_STRINGS,
    attributes: NOT_OBJECTS,
    service: [5, {}],
    trace_id: [5, {}],
    span_id: [5, {}],
  },
  metrics: {
    timestamp: NOT_TIMES,
    name: NOT_STRINGS,
    value: NOT_NUMBERS,
    tags: NOT_OBJECTS,
    attributes: [{}],
    service: ["x"],
  },
  traces: {
    timestamp: NOT_TIMES,
    trace_id: NOT_STRINGS,
    span_id: NOT_STRINGS,
    name: NOT_STRINGS,
    duration_ms: NOT_NUMBERS,
    status: [...NOT_STRINGS, "x".repeat(65)],
    attributes: NOT_OBJECTS,
    parent_span_id: [5, {}],
    kind: [5, {}],
    service: [5, {}],
    tags: [{}],
  },
};

for (const type of TYPES) {
  for (const [name, values] of Object.entries(WRONG[type])) {
    test(`${type} with an invalid ${name} are refused with a pointer to it`, async () => {
      for (const value of values) {
        const answer = await send(type, [{ ...EXAMPLES[type], [name]: value }]);
        assert.equal(answer.status, 400, `${JSON.stringify(value)}: ${answer.text}`);
        refused(answer, 400, "invalid_body", [`/entries/0/${name}`]);
      }
    });
  }
}

test("tags are strings only, and the pointer names the tag", async () => {
  for (const value of [1, null, true, {}, []]) {
    refused(await send("metrics", [{ ...EXAMPLES.metrics, tags: { good: "x", bad: value } }]), 400, "invalid_body", [
      "/entries/0/tags/bad",
    ]);
  }
});

test("an entry that is not an object is refused with its place", async () => {
  for (const entry of [null, 5, "x", [], true]) {
    refused(await send("logs", [EXAMPLES.logs, entry]), 400, "invalid_body", ["/entries/1"]);
  }
});

test("the members that CONTRACT adds are accepted and are columns", async () => {
  const id = randomUUID();
  await ingested(shared.server, shared.token, "logs", [
    logEntry(id, { service: "shop", trace_id: "t1", span_id: "s1" }),
  ]);
  await ingested(shared.server, shared.token, "traces", [
    { ...EXAMPLES.traces, name: id, parent_span_id: "p1", kind: "server", service: "shop" },
  ]);
  const log = await rows(
    shared.server,
    shared.token,
    `select service, trace_id, span_id from logs where message = '${id}'`,
  );
  assert.deepEqual(log, [{ service: "shop", trace_id: "t1", span_id: "s1" }]);
  const span = await rows(
    shared.server,
    shared.token,
    `select parent_span_id, kind, service from traces where name = '${id}'`,
  );
  assert.deepEqual(span, [{ parent_span_id: "p1", kind: "server", service: "shop" }]);
});

test("times are kept to the microsecond, with any precision", async () => {
  const times: [string, string][] = [
    ["2026-11-20T08:00:00Z", "2026-11-20 08:00:00.000000"],
    ["2026-11-20T08:00:00+00:00", "2026-11-20 08:00:00.000000"],
    ["2026-11-20T08:00:00.5Z", "2026-11-20 08:00:00.500000"],
    ["2026-11-20T08:00:00.123456789Z", "2026-11-20 08:00:00.123456"],
    ["2024-02-29T23:59:59.999999999Z", "2024-02-29 23:59:59.999999"],
    ["1969-12-31T23:59:59.999999Z", "1969-12-31 23:59:59.999999"],
    ["2030-01-01T00:00:00Z", "2030-01-01 00:00:00.000000"],
  ];
  await acceptTimes({ behind_days: 36_500, ahead_seconds: 10 * 365 * 86_400 });
  const id = randomUUID();
  const entries = times.map(([timestamp], i) => logEntry(`${id} ${i}`, { timestamp }));
  await ingested(shared.server, shared.token, "logs", entries);
  const sql = `select strftime(timestamp, '%Y-%m-%d %H:%M:%S.%f') as t from logs where message like '${id}%' order by message`;
  const found = await rows<{ t: string }>(shared.server, shared.token, sql);
  assert.deepEqual(
    found.map((row) => row.t),
    times.map(([, expected]) => expected),
  );
});

test("an entry far ahead, or older than ten years, is refused; the organization changes both limits", async () => {
  const later = (ms: number): string => new Date(Date.now() + ms).toISOString();
  await acceptTimes({ behind_days: null, ahead_seconds: null });
  const entries = [later(30 * 60_000), later(90 * 60_000), later(-3651 * 86_400_000)];
  const problem = refused(
    await send(
      "logs",
      entries.map((timestamp) => logEntry("x", { timestamp })),
    ),
    400,
    "invalid_body",
  );
  assert.deepEqual(
    problem.errors?.map(({ pointer, detail }) => [pointer, detail.split(":")[0]]),
    [
      ["/entries/1/timestamp", "is in the future"],
      ["/entries/2/timestamp", "is too old"],
    ],
  );
  await acceptTimes({ ahead_seconds: 7200, behind_days: 4000 });
  for (const timestamp of entries) assert.equal((await send("logs", [logEntry("x", { timestamp })])).status, 202);
});

async function acceptTimes(timestamps: object): Promise<void> {
  const path = "/v1/telemetry/settings";
  const answer = await shared.server.call("PATCH", path, { token: shared.token, json: { timestamps } });
  assert.equal(answer.status, 200, answer.text);
}

test("levels are kept as sent, with a severity number", async () => {
  const id = randomUUID();
  const levels = ["INFO", "warn", "Error", "fatal", "debug", "trace", "", "x".repeat(32), "né".repeat(16)];
  await ingested(
    shared.server,
    shared.token,
    "logs",
    levels.map((level, i) => logEntry(`${id} ${i}`, { level })),
  );
  const found = await rows<{ level: string }>(
    shared.server,
    shared.token,
    `select level from logs where message like '${id}%' order by message`,
  );
  assert.deepEqual(
    found.map((row) => row.level),
    levels,
  );
});

test("a bad entry refuses the whole batch, and no entry is stored", async () => {
  const id = randomUUID();
  const entries: Entry[] = Array.from({ length: 50 }, (_, i) => logEntry(id, i % 2 === 0 ? {} : { level: 5 }));
  const problem = refused(await send("logs", entries), 400, "invalid_body");
  const expected = Array.from({ length: 20 }, (_, i) => `/entries/${i * 2 + 1}/level`);
  assert.deepEqual(
    problem.errors?.map((place) => place.pointer),
    expected,
    "the first 20 bad entries",
  );
  assert.deepEqual(await rows(shared.server, shared.token, `select 1 from logs where message = '${id}'`), []);
});

test("Prefer: handling=lenient accepts the good entries and reports the others", async () => {
  const id = randomUUID();
  const entries = [
    logEntry(id),
    logEntry(id, { level: 5 }),
    logEntry(id),
    logEntry(id, { colour: "red" }),
    logEntry(id),
  ];
  const answer = await send("logs", entries, { prefer: "handling=lenient" });
  assert.equal(answer.status, 202, answer.text);
  assert.equal(answer.body.accepted, 3);
  assert.equal(answer.body.rejected, 2);
  assert.deepEqual(
    answer.body.errors?.map((place) => place.pointer),
    ["/entries/1/level", "/entries/3/colour"],
  );
  assert.match(answer.headers.get("preference-applied") ?? "", /handling=lenient/);
  assert.equal((await rows(shared.server, shared.token, `select 1 from logs where message = '${id}'`)).length, 3);
});

test("lenient handling reports the first 20 of many bad entries, and may accept none", async () => {
  const answer = await send(
    "logs",
    Array.from({ length: 30 }, () => ({})),
    { prefer: "respond-async, handling=lenient" },
  );
  assert.equal(answer.status, 202, answer.text);
  assert.equal(answer.body.accepted, 0);
  assert.equal(answer.body.rejected, 30);
  assert.ok(answer.body.errors !== undefined && answer.body.errors.length <= 20);
  refused(await send("logs", [{}], { prefer: "handling=strict" }), 400, "invalid_body");
});

test("the same Idempotency-Key and body are accepted once", async () => {
  const id = randomUUID();
  const headers = { "idempotency-key": id };
  const batch = [logEntry(id), logEntry(id)];
  for (let i = 0; i < 3; i++) {
    const answer = await send("logs", batch, headers);
    assert.equal(answer.status, 202, answer.text);
    assert.deepEqual(answer.body, { accepted: 2 });
  }
  refused(await send("logs", [logEntry(id)], headers), 422, "idempotency_key_reused");
  assert.equal((await rows(shared.server, shared.token, `select 1 from logs where message = '${id}'`)).length, 2);
});

test("concurrent requests with one Idempotency-Key are accepted once, and every caller gets the same answer", async () => {
  const id = randomUUID();
  const batch = Array.from({ length: 100 }, () => logEntry(id));
  const answers = await Promise.all(Array.from({ length: 16 }, () => send("logs", batch, { "idempotency-key": id })));
  for (const answer of answers) assert.equal(answer.status, 202, answer.text);
  for (const answer of answers) assert.deepEqual(answer.body, { accepted: 100 });
  assert.equal((await rows(shared.server, shared.token, `select 1 from logs where message = '${id}'`)).length, 100);
});

test("a refused batch frees its Idempotency-Key", async () => {
  const id = randomUUID();
  refused(await send("logs", [{}], { "idempotency-key": id }), 400, "invalid_body");
  assert.equal((await send("logs", [logEntry(id)], { "idempotency-key": id })).status, 202);
});

test("keys of different credentials are independent", async () => {
  const id = randomUUID();
  const other = await shared.server.bootstrap({ org: shared.home.org.slug });
  const token = await shared.server.token(other.credential);
  const headers = { "idempotency-key": id };
  assert.equal((await send("logs", [logEntry(id)], headers)).status, 202);
  assert.equal((await ingest(shared.server, token, "logs", [logEntry(id), logEntry(id)], { headers })).status, 202);
  assert.equal((await rows(shared.server, shared.token, `select 1 from logs where message = '${id}'`)).length, 3);
});

test("a malformed Idempotency-Key is refused", async () => {
  for (const key of ["x".repeat(256), "two words"]) {
    refused(await send("logs", [EXAMPLES.logs], { "idempotency-key": key }), 400, "invalid_request");
  }
});
