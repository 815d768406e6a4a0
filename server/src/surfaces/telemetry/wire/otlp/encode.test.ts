import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ATTRIBUTES_DEPTH_MAX,
  ENTRY_KEYS_MAX,
  INGEST_ENTRY_BYTES_MAX,
  LEVEL_CHARS_MAX,
  OTLP_BUCKETS_MAX,
  OTLP_VALUES_MAX,
} from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import type { EncodedRecords } from "../records.ts";
import { encodeOtlp } from "./encode.ts";

const RECEIVED = Date.UTC(2026, 10, 20, 8);
const NANOS = "1763625600123456789";
const TIME = "2025-11-20T08:00:00.123456Z";
const TRACE = "5b8efff798038103d269b633813fc60c";
const SPAN = "eee19b7ec3c1b174";

function encode(type: TelemetryType, request: unknown): EncodedRecords {
  const body = Buffer.from(typeof request === "string" ? request : JSON.stringify(request));
  return encodeOtlp(type, body, { format: "json", receivedMs: RECEIVED, projectId: null });
}

function rowsOf({ rows }: EncodedRecords): Record<string, unknown>[] {
  const lines = rows.toString().split("\n");
  assert.equal(lines.pop(), "");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const resource = { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] };
const logs = (...logRecords: object[]): object => ({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
const spans = (...list: object[]): object => ({ resourceSpans: [{ resource, scopeSpans: [{ spans: list }] }] });
const metrics = (...list: object[]): object => ({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics: list }] }] });
const attribute = (key: string, value: object): object => ({ key, value });

/** Returns the only row of a log record. */
function logRow(record: object): Record<string, unknown> {
  const encoded = encode("logs", logs(record));
  assert.deepEqual([encoded.count, encoded.rejected], [1, 0], JSON.stringify(encoded.errors));
  return rowsOf(encoded)[0] ?? {};
}

function problemOf(run: () => unknown): Problem {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return assert.fail("it was taken");
}

test("times: a log's own, else its observation, else its arrival; microseconds are kept", () => {
  assert.equal(logRow({ timeUnixNano: NANOS, observedTimeUnixNano: "1" })["timestamp"], TIME);
  assert.equal(logRow({ timeUnixNano: "0", observedTimeUnixNano: NANOS })["timestamp"], TIME);
  assert.equal(logRow({})["timestamp"], "2026-11-20T08:00:00.000000Z");
  assert.equal(
    rowsOf(encode("logs", `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":${NANOS}}]}]}]}`))[0]?.[
      "timestamp"
    ],
    TIME,
  );
});

for (const [sent, level, severity] of [
  [{}, "unspecified", undefined],
  [{ severityNumber: 0 }, "unspecified", undefined],
  [{ severityNumber: 1 }, "trace", 1],
  [{ severityNumber: 4 }, "trace", 4],
  [{ severityNumber: 5 }, "debug", 5],
  [{ severityNumber: 10 }, "info", 10],
  [{ severityNumber: 16 }, "warn", 16],
  [{ severityNumber: 17 }, "error", 17],
  [{ severityNumber: 24 }, "fatal", 24],
  [{ severityNumber: 25 }, "unspecified", undefined],
  [{ severityNumber: 10, severityText: "Information" }, "Information", 10],
  [{ severityText: "WARN" }, "WARN", 13],
] as const) {
  test(`level of ${JSON.stringify(sent)}`, () => {
    const row = logRow(sent);
    assert.deepEqual([row["level"], row["severity"]], [level, severity]);
  });
}

for (const [value, text, plain] of [
  [{ stringValue: "a" }, "a", "a"],
  [{ stringValue: "\ud800" }, "\ufffd", "\ufffd"],
  [{ boolValue: false }, "false", false],
  [{ intValue: "10" }, "10", 10],
  [{ intValue: -7 }, "-7", -7],
  [{ doubleValue: 637.704 }, "637.704", 637.704],
  [{ doubleValue: "NaN" }, "NaN", "NaN"],
  [{ doubleValue: "-Infinity" }, "-Infinity", "-Infinity"],
  [{ bytesValue: "AQI=" }, "AQI=", "AQI="],
  [{ arrayValue: { values: [{ intValue: 1 }, {}] } }, "[1,null]", [1, null]],
  [{ kvlistValue: { values: [{ key: "k", value: { boolValue: true } }] } }, '{"k":true}', { k: true }],
  [{ arrayValue: {} }, "[]", []],
  [{}, "", null],
] as const) {
  test(`a body and an attribute of ${JSON.stringify(value)}`, () => {
    const row = logRow({ body: value, attributes: [attribute("a", value)] });
    assert.equal(row["message"], text);
    assert.deepEqual((row["attributes"] as Record<string, unknown>)["a"], plain);
  });
}

test("an integer of 64 bits keeps its digits, as a string and as a number", () => {
  for (const value of ['"9007199254740993"', "9007199254740993", '"-9223372036854775808"']) {
    const body = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"n","value":{"intValue":${value}}}]}]}]}]}`;
    assert.match(encode("logs", body).rows.toString(), new RegExp(`"n":${value.replaceAll('"', "")}\\b`));
  }
});

test("attributes of resource and scope get a prefix, a record's own do not; names of Object are only names", () => {
  const scope = { name: "lib", version: "2", attributes: [attribute("s", { intValue: 1 })] };
  const record = { attributes: [attribute("__proto__", { stringValue: "p" })], eventName: "login" };
  const [row] = rowsOf(encode("logs", { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: [record] }] }] }));
  assert.equal(row?.["service"], "shop");
  assert.deepEqual(Object.entries(row?.["attributes"] as object), [
    ["resource.service.name", "shop"],
    ["scope.s", 1],
    ["scope.name", "lib"],
    ["scope.version", "2"],
    ["event.name", "login"],
    ["__proto__", "p"],
  ]);
});

test("identifiers become lower case; empty and zero ones become null; invalid ones refuse only their record", () => {
  const upper = logRow({ traceId: TRACE.toUpperCase(), spanId: SPAN.toUpperCase() });
  assert.deepEqual([upper["trace_id"], upper["span_id"]], [TRACE, SPAN]);
  const none = logRow({ traceId: "0".repeat(32), spanId: "" });
  assert.deepEqual([none["trace_id"], none["span_id"]], [undefined, undefined]);
  const mixed = encode("logs", logs({ traceId: "abc" }, { traceId: "g".repeat(32) }, { traceId: TRACE }));
  assert.deepEqual([mixed.count, mixed.rejected], [1, 2]);
  assert.deepEqual(mixed.errors[0], { pointer: "/entries/0/trace_id", detail: "must have 32 hexadecimal digits" });
});

/** Returns a value with `levels` levels, in one of OTLP's two forms of nesting. */
function nested(levels: number, kind: "arrayValue" | "kvlistValue"): object {
  let value: object = { intValue: 1 };
  for (let level = 0; level < levels; level++) {
    value =
      kind === "arrayValue"
        ? { arrayValue: { values: [value] } }
        : { kvlistValue: { values: [attribute("k", value)] } };
  }
  return value;
}

test("limits: a record at a limit is accepted, one past it is refused and affects no other", () => {
  const deep = (levels: number, kind: "arrayValue" | "kvlistValue"): object => ({
    attributes: [attribute("d", nested(levels, kind))],
  });
  const keys = (count: number): object => ({
    attributes: Array.from({ length: count }, (_, at) => attribute(`k${at}`, { intValue: at })),
  });
  const depth = ATTRIBUTES_DEPTH_MAX - 1;
  // The entry's own members and the resource's attribute are keys too.
  const own =
    Object.keys({ timestamp: 0, level: 0, message: 0, service: 0, trace_id: 0, span_id: 0, attributes: 0 }).length + 1;
  const fit = [
    deep(depth, "arrayValue"),
    deep(depth, "kvlistValue"),
    keys(ENTRY_KEYS_MAX - own),
    { severityText: "x".repeat(LEVEL_CHARS_MAX) },
  ];
  const unfit = [
    deep(depth + 1, "arrayValue"),
    deep(depth + 1, "kvlistValue"),
    deep(1000, "arrayValue"),
    deep(1000, "kvlistValue"),
    { body: nested(depth + 1, "kvlistValue") },
    { severityText: "x".repeat(LEVEL_CHARS_MAX + 1) },
    { body: { stringValue: "x".repeat(INGEST_ENTRY_BYTES_MAX) } },
  ];
  const encoded = encode("logs", logs(...fit, ...unfit, { body: { stringValue: "last" } }));
  assert.deepEqual([encoded.count, encoded.rejected], [fit.length + 1, unfit.length], JSON.stringify(encoded.errors));
  assert.equal(rowsOf(encoded).at(-1)?.["message"], "last");
});

test("a record with too many attributes keeps as many as fit, and the rest is reported", () => {
  const attributes = Array.from({ length: 300 }, (_, at) => attribute(`k${at}`, { intValue: at }));
  const wide = { key: "wide", value: { kvlistValue: { values: attributes } } };
  const encoded = encode("logs", logs({ attributes }, {}, { attributes: [wide, ...attributes.slice(0, 3)] }));
  assert.deepEqual([encoded.count, encoded.rejected, encoded.errors], [3, 0, []]);
  const [many, none, nestedToo] = rowsOf(encoded).map((row) => Object.keys(row["attributes"] ?? {}));
  // Seven members of the entry, one attribute of its resource.
  assert.deepEqual(
    many?.slice(1),
    Array.from({ length: ENTRY_KEYS_MAX - 8 }, (_, at) => `k${at}`),
  );
  assert.deepEqual([none?.length, nestedToo?.slice(1)], [1, ["k0", "k1", "k2"]]);
  assert.deepEqual(encoded.cut, {
    entries: 2,
    places: [
      { pointer: "/entries/0", detail: "was cut: 52 of its attributes are beyond 256 keys" },
      { pointer: "/entries/2", detail: "was cut: 1 of its attributes are beyond 256 keys" },
    ],
  });
});

test("a request that would expand too much is refused before it costs memory", () => {
  const empty = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${"{},".repeat(OTLP_VALUES_MAX)}{}]}]}]}`;
  assert.equal(problemOf(() => encode("logs", empty)).code, "body_too_large");
  const large = { attributes: [attribute("a", { stringValue: "x".repeat(200_000) })] };
  const records = Array.from({ length: 400 }, () => ({}));
  const request = { resourceLogs: [{ resource: large, scopeLogs: [{ logRecords: records }] }] };
  assert.equal(problemOf(() => encode("logs", request)).code, "body_too_large");
});

for (const [name, body] of [
  ["nothing", ""],
  ["no JSON", "{"],
  ["an array", "[]"],
  ["an invalid list", '{"resourceLogs":{}}'],
  ["an invalid element", '{"resourceLogs":[7]}'],
  [
    "a name in place of a number",
    '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityNumber":"SEVERITY_NUMBER_INFO"}]}]}]}',
  ],
  ["an invalid time", '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"soon"}]}]}]}'],
  ["a time before the epoch", '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"-1"}]}]}]}'],
  ["text in place of a number", '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityText":7}]}]}]}'],
] as const) {
  test(`JSON refused: ${name}`, () => {
    assert.equal(problemOf(() => encode("logs", body)).code, "invalid_body");
  });
}

test("unknown members and null are ignored, and an empty request is accepted", () => {
  assert.equal(
    encode("logs", { resourceLogs: [{ scopeLogs: [{ logRecords: [{ colour: {}, body: null }] }], schemaUrl: 7 }] })
      .count,
    1,
  );
  for (const type of ["logs", "metrics", "traces"] as const) assert.equal(encode(type, {}).count, 0);
});

test("spans: kind, status, duration, events and links", () => {
  const span = {
    traceId: TRACE,
    spanId: SPAN,
    parentSpanId: "eee19b7ec3c1b173",
    name: "GET /",
    kind: 2,
    startTimeUnixNano: "1763625600000000000",
    endTimeUnixNano: "1763625600001500000",
    status: { code: 2, message: "no" },
    events: [{ timeUnixNano: NANOS, name: "e", attributes: [attribute("n", { intValue: 1 })] }],
    links: [{ traceId: TRACE, spanId: SPAN }],
  };
  const [row] = rowsOf(encode("traces", spans(span)));
  assert.deepEqual(row, {
    timestamp: "2025-11-20T08:00:00.000000Z",
    trace_id: TRACE,
    span_id: SPAN,
    parent_span_id: "eee19b7ec3c1b173",
    name: "GET /",
    kind: "server",
    service: "shop",
    status: "error",
    duration_ms: 1.5,
    attributes: {
      "resource.service.name": "shop",
      "status.message": "no",
      events: [{ time: TIME, name: "e", attributes: { n: 1 } }],
      links: [{ trace_id: TRACE, span_id: SPAN }],
    },
  });
});

test("spans: every kind and status, 128 events, and spans without required members", () => {
  const span = { traceId: TRACE, spanId: SPAN, startTimeUnixNano: NANOS };
  const kinds = rowsOf(encode("traces", spans(...[0, 1, 2, 3, 4, 5, 6].map((kind) => ({ ...span, kind })))));
  assert.deepEqual(
    kinds.map((row) => row["kind"]),
    [undefined, "internal", "server", "client", "producer", "consumer", undefined],
  );
  const statuses = rowsOf(encode("traces", spans(span, ...[0, 1, 2].map((code) => ({ ...span, status: { code } })))));
  assert.deepEqual(
    statuses.map((row) => row["status"]),
    ["ok", "ok", "ok", "error"],
  );
  const events = Array.from({ length: 128 }, () => ({
    name: "e",
    attributes: [attribute("a", {}), attribute("b", {})],
  }));
  assert.equal(encode("traces", spans({ ...span, events })).rejected, 0);
  const lacking = [
    { ...span, traceId: "" },
    { ...span, spanId: "0".repeat(16) },
    { ...span, startTimeUnixNano: "0" },
  ];
  const deep = { ...span, events: [{ attributes: [attribute("d", nested(ATTRIBUTES_DEPTH_MAX, "kvlistValue"))] }] };
  assert.equal(encode("traces", spans(span, ...lacking, deep)).rejected, 4);
});

/** Returns `name{le|quantile} value` of each row. */
function samples(...list: object[]): string[] {
  const encoded = encode("metrics", metrics(...list));
  assert.equal(encoded.rejected, 0, JSON.stringify(encoded.errors));
  return rowsOf(encoded).map((row) => {
    const tags = row["tags"] as Record<string, string>;
    const tag = tags["le"] ?? tags["quantile"];
    return `${String(row["name"])}${tag === undefined ? "" : `{${tag}}`} ${String(row["value"])}`;
  });
}

const pointsOf = (dataPoint: object): object => ({ aggregationTemporality: 2, dataPoints: [dataPoint] });

for (const [name, metric, expected] of [
  ["gauge", { gauge: pointsOf({ asDouble: 0.5 }) }, ["m 0.5"]],
  ["sum", { sum: pointsOf({ asInt: "-3" }) }, ["m -3"]],
  ["a point without a value with the flag", { gauge: pointsOf({ flags: 1 }) }, []],
  [
    "histogram",
    { histogram: pointsOf({ count: "6", sum: 9.5, bucketCounts: ["1", 2, "3"], explicitBounds: [0.1, 1] }) },
    ["m_count 6", "m_sum 9.5", "m_bucket{0.1} 1", "m_bucket{1} 3", "m_bucket{+Inf} 6"],
  ],
  ["histogram without buckets or sum", { histogram: pointsOf({ count: 2 }) }, ["m_count 2", "m_bucket{+Inf} 2"]],
  [
    "exponential histogram",
    {
      exponentialHistogram: pointsOf({
        count: 10,
        sum: 1,
        scale: 0,
        zeroCount: "1",
        positive: { offset: 1, bucketCounts: ["0", "2", 4] },
        negative: { bucketCounts: [1, "2"] },
      }),
    },
    [
      "m_count 10",
      "m_sum 1",
      "m_bucket{-2} 2",
      "m_bucket{-1} 3",
      "m_bucket{0} 4",
      "m_bucket{8} 6",
      "m_bucket{16} 10",
      "m_bucket{+Inf} 10",
    ],
  ],
  [
    "summary",
    {
      summary: pointsOf({
        count: 3,
        sum: 6,
        quantileValues: [
          { quantile: 0.5, value: 2 },
          { quantile: 1, value: 3 },
        ],
      }),
    },
    ["m_count 3", "m_sum 6", "m{0.5} 2", "m{1} 3"],
  ],
  ["no data", {}, []],
] as const) {
  test(`metrics: ${name}`, () => assert.deepEqual(samples({ name: "m", ...metric }), expected));
}

test("metrics: tags are texts, a point's own override others, and delta is marked", () => {
  const attributes = [
    attribute("n", { intValue: 7 }),
    attribute("l", { arrayValue: { values: [{ boolValue: true }] } }),
  ];
  const point = {
    timeUnixNano: NANOS,
    asDouble: 1,
    attributes: [...attributes, attribute("service.name", { stringValue: "own" })],
  };
  const [row] = rowsOf(
    encode("metrics", metrics({ name: "m", sum: { aggregationTemporality: 1, dataPoints: [point] } })),
  );
  assert.deepEqual(row, {
    timestamp: TIME,
    name: "m",
    value: 1,
    tags: { "service.name": "own", "aggregation.temporality": "delta", n: "7", l: "[true]" },
  });
});

test("metrics: an invalid point is refused alone and completely", () => {
  const bounds = Array.from({ length: OTLP_BUCKETS_MAX }, (_, at) => at);
  const counts = (length: number): number[] => Array.from({ length }, () => 1);
  const unfit = [
    { gauge: pointsOf({}) },
    { gauge: pointsOf({ asDouble: "NaN" }) },
    { histogram: pointsOf({ count: 1, bucketCounts: [1], explicitBounds: [1] }) },
    { histogram: pointsOf({ count: 1, sum: "Infinity", bucketCounts: [1, 0], explicitBounds: [1] }) },
    { histogram: pointsOf({ count: 1, bucketCounts: counts(OTLP_BUCKETS_MAX + 1), explicitBounds: bounds }) },
    { exponentialHistogram: pointsOf({ count: 1, scale: 21 }) },
    { exponentialHistogram: pointsOf({ count: 1, positive: { bucketCounts: counts(OTLP_BUCKETS_MAX + 1) } }) },
  ].map((metric) => ({ name: "bad", ...metric }));
  const fit = { histogram: pointsOf({ bucketCounts: counts(OTLP_BUCKETS_MAX), explicitBounds: bounds.slice(1) }) };
  const encoded = encode("metrics", metrics({ gauge: pointsOf({ asDouble: 1 }) }, ...unfit, { name: "good", ...fit }));
  assert.equal(encoded.rejected, unfit.length + 1, JSON.stringify(encoded.errors));
  assert.equal(encoded.count, OTLP_BUCKETS_MAX + 1);
  assert.ok(rowsOf(encoded).every((row) => String(row["name"]).startsWith("good")));
});

const ROUNDED = "9007199254740993"; // 2^53 + 1, which no double is

test("a metric's whole number that a double can't hold is refused by name, the others are accepted", () => {
  const gauge = (...values: unknown[]): object =>
    metrics({ name: "m", gauge: { dataPoints: values.map((asInt) => ({ timeUnixNano: NANOS, asInt })) } });
  const { count, rejected, errors } = encode("metrics", gauge("1", ROUNDED, `-${ROUNDED}`, "9223372036854775807", "4"));
  assert.deepEqual([count, rejected], [2, 3]);
  assert.equal(errors[0]?.pointer, "/entries/1/asInt");
  assert.match(errors[0]?.detail ?? "", /double can't hold: it would become 9007199254740992$/);
  assert.equal(encode("metrics", gauge("9007199254740992", "-9223372036854775808")).count, 2);
  const histogram = { count: ROUNDED, sum: 1, bucketCounts: [ROUNDED], explicitBounds: [], timeUnixNano: NANOS };
  const counted = encode("metrics", metrics({ name: "m", histogram: { dataPoints: [histogram] } }));
  assert.deepEqual([counted.count, counted.rejected, counted.errors[0]?.pointer], [0, 1, "/entries/0/count"]);
});

test("protobuf: a whole number that a double can't hold is refused, too", () => {
  const field = (number: number, ...parts: Buffer[]): Buffer => {
    const content = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
  };
  const point = (value: bigint): Buffer => {
    const bytes = Buffer.alloc(9, (6 << 3) | 1);
    bytes.writeBigInt64LE(value, 1);
    return field(1, bytes);
  };
  const metric = field(2, field(1, Buffer.from("m")), field(5, point(7n), point(BigInt(ROUNDED)), point(8n)));
  const body = field(1, field(2, metric));
  const encoded = encodeOtlp("metrics", body, { format: "protobuf", receivedMs: RECEIVED, projectId: null });
  assert.deepEqual([encoded.count, encoded.rejected], [2, 1]);
  assert.deepEqual(
    rowsOf(encoded).map(({ value }) => value),
    [7, 8],
  );
});

test("attributes keep their order, also those whose names are numbers, and the digits of whole numbers", () => {
  const pairs = [
    attribute("b", { intValue: ROUNDED }),
    attribute("2", { kvlistValue: { values: [attribute("10", { intValue: 1 }), attribute("9", { intValue: 2 })] } }),
    attribute("1", { stringValue: "x" }),
    attribute("2", { intValue: "-9223372036854775808" }),
  ];
  const { rows } = encode("logs", { resourceLogs: [{ scopeLogs: [{ logRecords: [{ attributes: pairs }] }] }] });
  assert.ok(rows.includes(`"attributes":{"b":${ROUNDED},"2":-9223372036854775808,"1":"x"}`), rows.toString());
  const body = { kvlistValue: { values: pairs.slice(0, 3) } };
  const [row] = rowsOf(encode("logs", logs({ body })));
  assert.equal(row?.["message"], `{"b":${ROUNDED},"2":{"10":1,"9":2},"1":"x"}`);
});
