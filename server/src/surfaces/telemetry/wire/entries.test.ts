import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ATTRIBUTES_DEPTH_MAX,
  ENTRY_KEYS_MAX,
  INGEST_BODY_BYTES_MAX,
  INGEST_ENTRIES_MAX,
  INGEST_ENTRY_BYTES_MAX,
  LEVEL_CHARS_MAX,
  PROBLEM_PLACES_MAX,
  STATUS_CHARS_MAX,
} from "#kernel/limits.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import { COLUMNS, TELEMETRY_TYPES, type TelemetryType } from "#stores/telemetry/index.ts";
import { encodeEntries } from "./entries.ts";
import type { EncodedEntries } from "./entry.ts";
import { normalTimestamp } from "./timestamp.ts";

const TIME = "2026-11-20T08:00:00Z";
const LOG = { timestamp: TIME, level: "info", message: "hello" };
const METRIC = { timestamp: TIME, name: "cpu", value: 0.5 };
const SPAN = { timestamp: TIME, trace_id: "t", span_id: "s", name: "GET /", duration_ms: 1.5, status: "ok" };
const SMALLEST: Readonly<Record<TelemetryType, object>> = { logs: LOG, metrics: METRIC, traces: SPAN };

function encodeText(type: TelemetryType, body: string | Buffer, lenient = false): EncodedEntries {
  return encodeEntries(type, Buffer.from(body), { projectId: null, lenient });
}

function encode(type: TelemetryType, entries: readonly unknown[], lenient = false): EncodedEntries {
  return encodeText(type, JSON.stringify({ entries }), lenient);
}

function rowsOf({ rows }: EncodedEntries): Record<string, unknown>[] {
  const lines = rows.toString().split("\n");
  assert.equal(lines.pop(), "");
  return lines.map((line) => {
    const row = JSON.parse(line) as Record<string, unknown>;
    // Trailing zeros may be missing, because the two parsers differ there.
    return { ...row, timestamp: normalTimestamp(String(row["timestamp"])) };
  });
}

/** Returns the problem that refuses the body. */
function problemOf(run: () => unknown): Problem {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return assert.fail("it was taken");
}

function placesOf(type: TelemetryType, entry: unknown): readonly ProblemPlace[] {
  const problem = problemOf(() => encode(type, [entry]));
  assert.equal(problem.code, "invalid_body");
  return problem.options.errors ?? [];
}

function pointersOf(type: TelemetryType, entry: unknown): string[] {
  return placesOf(type, entry).map(({ pointer }) => pointer);
}

test("every member of every type is kept, with the columns of the table", () => {
  const log = {
    ...LOG,
    service: "api",
    trace_id: "t1",
    span_id: "s1",
    attributes: { a: [1, null, true, "x", { b: 1.5 }] },
  };
  const span = { ...SPAN, parent_span_id: "p", kind: "server", service: "api", attributes: {} };
  const metric = { ...METRIC, tags: { host: "a" } };
  const time = "2026-11-20T08:00:00.000000Z";
  const project = { project_id: "proj_1" };
  const encoded = (type: TelemetryType, entry: object) =>
    rowsOf(
      encodeEntries(type, Buffer.from(JSON.stringify({ entries: [entry] })), { projectId: "proj_1", lenient: false }),
    );
  assert.deepEqual(encoded("logs", log), [{ ...log, ...project, timestamp: time, severity: 9 }]);
  assert.deepEqual(encoded("metrics", metric), [{ ...metric, ...project, timestamp: time }]);
  assert.deepEqual(encoded("traces", span), [{ ...span, ...project, timestamp: time }]);
  for (const [type, entry] of [
    ["logs", log],
    ["metrics", metric],
    ["traces", span],
  ] as const) {
    const names = encoded(type, entry).flatMap((row) => Object.keys(row));
    assert.deepEqual(names.toSorted(), COLUMNS[type].map(({ name }) => name).toSorted());
  }
});

test("the smallest entries are accepted, and each required member is required", () => {
  for (const type of TELEMETRY_TYPES) {
    const entry = SMALLEST[type];
    assert.equal(encode(type, [entry, entry]).count, 2);
    for (const name of Object.keys(entry)) {
      const without = Object.fromEntries(Object.entries(entry).filter(([other]) => other !== name));
      assert.deepEqual(placesOf(type, without), [{ pointer: `/entries/0/${name}`, detail: "is required" }]);
    }
  }
});

test("a member of the wrong type is refused with its place", () => {
  for (const type of TELEMETRY_TYPES) {
    for (const { name } of COLUMNS[type]) {
      if (name === "severity" || name === "project_id") continue;
      for (const wrong of [null, true, [], ["x"], name === "attributes" || name === "tags" ? "x" : {}]) {
        assert.deepEqual(
          pointersOf(type, { ...SMALLEST[type], [name]: wrong }),
          [`/entries/0/${name}`],
          `${type} ${name} ${JSON.stringify(wrong)}`,
        );
      }
    }
  }
  assert.deepEqual(pointersOf("logs", { ...LOG, message: 5 }), ["/entries/0/message"]);
  assert.deepEqual(pointersOf("metrics", { ...METRIC, value: "5" }), ["/entries/0/value"]);
  assert.deepEqual(pointersOf("metrics", { ...METRIC, tags: { a: "x", "b/~": 1 } }), ["/entries/0/tags/b~1~0"]);
});

test("an unknown member is refused by name", () => {
  for (const type of TELEMETRY_TYPES) {
    for (const name of ["severity", "project_id", "Timestamp", "constructor", "toString", "a/b"]) {
      assert.deepEqual(pointersOf(type, { ...SMALLEST[type], [name]: "x" }), [`/entries/0/${name.replace("/", "~1")}`]);
    }
  }
  const body = `{"entries":[{"timestamp":"${TIME}","level":"info","message":"m","__proto__":{"service":"x"}}]}`;
  assert.deepEqual(problemOf(() => encodeText("logs", body)).options.errors?.[0]?.pointer, "/entries/0/__proto__");
  const long = pointersOf("logs", { ...LOG, ["x".repeat(5000)]: 1 })[0] ?? "";
  assert.ok(long.length < 200);
});

test("an entry that is not an object is refused", () => {
  for (const entry of [null, 1, "x", [], true]) assert.deepEqual(pointersOf("logs", entry), ["/entries/0"]);
});

test("the body is an object with one key, entries", () => {
  const refused = (body: string): string[] => {
    const problem = problemOf(() => encodeText("logs", body));
    assert.equal(problem.code, "invalid_body");
    return (problem.options.errors ?? []).map(({ pointer }) => pointer);
  };
  for (const body of ["[]", "null", "1", '"entries"', "[[]]"]) assert.deepEqual(refused(body), [""]);
  assert.deepEqual(refused("{}"), ["/entries"]);
  for (const value of ["null", "{}", '"x"', "0"]) assert.deepEqual(refused(`{"entries":${value}}`), ["/entries"]);
  assert.deepEqual(refused('{"entries":[],"more":1}'), ["/more"]);
  for (const body of [
    "",
    " ",
    "{",
    '{"entries":[}',
    '{"entries":[]}x',
    "{'entries':[]}",
    '{"entries":[],}',
    "{\ufeff}",
  ])
    assert.deepEqual(refused(body), []);
  assert.deepEqual(refused("\ufeff{}"), ["/entries"]);
  assert.equal(encodeText("logs", `\ufeff{"entries":[${JSON.stringify(LOG)}]}`).count, 1);
  assert.match(problemOf(() => encodeText("logs", '{"entries":[1 1]}')).message, /not valid JSON \(at character 14\)/);
  assert.deepEqual(encodeText("logs", ' {"entries" : [ ] }\n'), {
    rows: Buffer.alloc(0),
    count: 0,
    rejected: 0,
    errors: [],
  });
});

test("bytes that are not UTF-8 are refused", () => {
  const body = Buffer.from(JSON.stringify({ entries: [LOG] }));
  for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf4, 0x90, 0x80, 0x80]]) {
    const bad = Buffer.concat([body.subarray(0, 70), Buffer.from(bytes), body.subarray(70)]);
    assert.match(problemOf(() => encodeText("logs", bad)).message, /UTF-8/);
  }
});

test("at most 1000 entries", () => {
  const entries = Array.from({ length: INGEST_ENTRIES_MAX + 1 }, () => LOG);
  assert.equal(encode("logs", entries.slice(1)).count, INGEST_ENTRIES_MAX);
  assert.equal(problemOf(() => encode("logs", entries)).options.errors?.[0]?.pointer, "/entries");
  const large = entries.map((entry) => ({ ...entry, message: `"],[${"x".repeat(300)}` }));
  assert.equal(encode("logs", large.slice(1)).count, INGEST_ENTRIES_MAX);
  assert.equal(problemOf(() => encode("logs", large)).options.errors?.[0]?.pointer, "/entries");
  assert.equal(problemOf(() => encode("logs", large, true)).code, "invalid_body");
});

test("level and status have a maximum length, counted in characters", () => {
  for (const [type, name, max] of [
    ["logs", "level", LEVEL_CHARS_MAX],
    ["traces", "status", STATUS_CHARS_MAX],
  ] as const) {
    for (const character of ["x", "é", "🙂"]) {
      assert.equal(encode(type, [{ ...SMALLEST[type], [name]: character.repeat(max) }]).count, 1);
      assert.deepEqual(pointersOf(type, { ...SMALLEST[type], [name]: character.repeat(max + 1) }), [
        `/entries/0/${name}`,
      ]);
    }
  }
});

test("an entry has at most 256 keys, including those of attributes and tags at all levels", () => {
  const keys = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
  const logKeys = ENTRY_KEYS_MAX - 4;
  assert.equal(encode("logs", [{ ...LOG, attributes: keys(logKeys) }]).count, 1);
  assert.deepEqual(pointersOf("logs", { ...LOG, attributes: keys(logKeys + 1) }), ["/entries/0"]);
  assert.equal(encode("logs", [{ ...LOG, attributes: { a: [keys(100), keys(logKeys - 101)] } }]).count, 1);
  assert.deepEqual(pointersOf("logs", { ...LOG, attributes: { a: [keys(100), keys(logKeys - 100)] } }), ["/entries/0"]);
  assert.equal(encode("metrics", [{ ...METRIC, tags: keys(logKeys) }]).count, 1);
  assert.deepEqual(pointersOf("metrics", { ...METRIC, tags: keys(logKeys + 1) }), ["/entries/0"]);
});

test("attributes are nested 32 deep at most", () => {
  const nested = (depth: number, list: boolean): unknown => {
    let value: unknown = "leaf";
    for (let level = 1; level < depth; level++) value = list ? [value] : { a: value };
    return { a: value };
  };
  for (const list of [true, false]) {
    assert.equal(encode("logs", [{ ...LOG, attributes: nested(ATTRIBUTES_DEPTH_MAX, list) }]).count, 1);
    const [place] = placesOf("logs", { ...LOG, attributes: nested(ATTRIBUTES_DEPTH_MAX + 1, list) });
    assert.match(place?.detail ?? "", /nested deeper than 32/);
    assert.ok(place?.pointer.startsWith("/entries/0/attributes/a/"));
  }
});

test("endless depth costs nothing, in a small body or a large one", () => {
  for (const open of ["[", '{"a":', '{"entries":[{"attributes":']) {
    for (const bytes of [INGEST_ENTRY_BYTES_MAX, INGEST_BODY_BYTES_MAX]) {
      const body = Buffer.from(open.repeat(Math.floor(bytes / open.length)));
      const started = performance.now();
      assert.equal(problemOf(() => encodeText("logs", body)).code, "invalid_body");
      assert.ok(performance.now() - started < 30_000);
    }
  }
  const deep = 100_000;
  const attributes = `${"[".repeat(deep)}"\\ud800"${"]".repeat(deep)}`;
  const body = `{"entries":[{"timestamp":"${TIME}","level":"x","message":"m","attributes":{"a":${attributes}}}]}`;
  assert.equal(problemOf(() => encodeText("logs", body)).code, "invalid_body");
  const exact = `{"entries":[{"timestamp":"${TIME}","level":"x","message":"m","attributes":{"n":9007199254740993,"a":${attributes}}}]}`;
  assert.equal(problemOf(() => encodeText("logs", exact)).code, "invalid_body");
  assert.equal(encodeText("logs", exact, true).rejected, 1);
});

test("an entry has at most 256 KiB, as it was sent", () => {
  const sized = (bytes: number): string => {
    const empty = JSON.stringify({ ...LOG, message: "" });
    return JSON.stringify({ ...LOG, message: "x".repeat(bytes - Buffer.byteLength(empty)) });
  };
  const body = (...entries: string[]): string => `{ "entries" : [ ${entries.join(" , ")} ] }`;
  const small = JSON.stringify({ ...LOG, message: '}],"\\' });
  assert.equal(encodeText("logs", body(small, sized(INGEST_ENTRY_BYTES_MAX), small)).count, 3);
  const tooLarge = body(small, sized(INGEST_ENTRY_BYTES_MAX + 1), small);
  assert.deepEqual(
    problemOf(() => encodeText("logs", tooLarge)).options.errors?.map(({ pointer }) => pointer),
    ["/entries/1"],
  );
  const lenient = encodeText("logs", tooLarge, true);
  assert.deepEqual([lenient.count, lenient.rejected], [2, 1]);
  const padded = body(small, LOG_WITH_SPACES(INGEST_ENTRY_BYTES_MAX + 1));
  assert.equal(problemOf(() => encodeText("logs", padded)).options.errors?.[0]?.pointer, "/entries/1");
});

const LOG_WITH_SPACES = (bytes: number): string => {
  const text = JSON.stringify(LOG);
  return `{${" ".repeat(bytes - text.length)}${text.slice(1)}`;
};

test("a body has at most 10 MiB", () => {
  const body = Buffer.alloc(INGEST_BODY_BYTES_MAX + 1, " ");
  body.write('{"entries":[]}');
  assert.equal(encodeText("logs", body.subarray(0, INGEST_BODY_BYTES_MAX)).count, 0);
  assert.equal(problemOf(() => encodeText("logs", body)).code, "body_too_large");
});

test("numbers are finite", () => {
  const text = (value: string): string => `{"entries":[{"timestamp":"${TIME}","name":"n","value":${value}}]}`;
  for (const value of ["0", "-0", "1e308", "5e-324", "-1.5", "9007199254740992", "9223372036854775808", "1e23"])
    assert.equal(encodeText("metrics", text(value)).count, 1);
  for (const value of ["1e309", "-1e309", "9007199254740993", "-12345678901234567890"]) {
    assert.deepEqual(
      problemOf(() => encodeText("metrics", text(value))).options.errors?.[0]?.pointer,
      "/entries/0/value",
    );
  }
  for (const value of ["NaN", "Infinity", "01", "1.", ".5", "+1"])
    assert.equal(problemOf(() => encodeText("metrics", text(value))).code, "invalid_body");
  const attributes = `{"entries":[{"timestamp":"${TIME}","level":"x","message":"m","attributes":{"a/b":[1,{"~":1e999}]}}]}`;
  assert.equal(
    problemOf(() => encodeText("logs", attributes)).options.errors?.[0]?.pointer,
    "/entries/0/attributes/a~1b/1/~0",
  );
});

test("numbers in attributes keep their value", () => {
  const text = (value: string): string =>
    `{"entries":[{"timestamp":"${TIME}","level":"x","message":"m","attributes":{"n":[${value}]}}]}`;
  const long = ["18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"];
  for (const value of [
    "9007199254740993",
    "-9007199254740993",
    "18446744073709551615",
    "-9223372036854775808",
    ...long,
  ]) {
    assert.ok(encodeText("logs", text(value)).rows.includes(`{"n":[${value}]}`), value);
  }
  assert.ok(encodeText("logs", text("1e300")).rows.includes('{"n":[1e+300]}'));
  // Readers of the log would round a fraction that a double can't hold, so it is stored as text.
  for (const value of ["0.1234567890123456789", "1e-400", "12345678901234567890.5"])
    assert.ok(encodeText("logs", text(value)).rows.includes(JSON.stringify(`{"n":[${value}]}`)), value);
  const raw = `{"entries":[{"timestamp":"${TIME}","level":"x","message":"m","attributes":{"n":9007199254740993,"o":{"rawJSON":"}{"}}}]}`;
  assert.ok(encodeText("logs", raw).rows.includes('{"n":9007199254740993,"o":{"rawJSON":"}{"}}'));
});

test("members keep their order, also those whose names are numbers; the last one of a repeated name counts", () => {
  const entry = (attributes: string): string =>
    `{"entries":[{"timestamp":"${TIME}","level":"x","message":"m","attributes":${attributes}}]}`;
  const cases: [sent: string, kept: string][] = [
    ['{"b":1,"2":{"10":1,"9":2},"1":[{"0":1}]}', '{"b":1,"2":{"10":1,"9":2},"1":[{"0":1}]}'],
    ['{"b":1, "1" : 1,"a":2,"1":3}', '{"b":1,"1":3,"a":2}'],
    ['{"b":1,"\\u0031":1,"a":"x\\"1\\":2"}', '{"b":1,"1":1,"a":"x\\"1\\":2"}'],
    ['{"b":1,"\ue0001":1,"\\ue0002":2,"1":3}', '{"b":1,"\ue0001":1,"\ue0002":2,"1":3}'],
    ['{"b\\"\ue0001":1,"1":2,"a":2,"a":3}', '{"b\\"\ue0001":1,"1":2,"a":3}'],
    ['{"b":0.1234567890123456789,"1":"x"}', JSON.stringify('{"b":0.1234567890123456789,"1":"x"}')],
  ];
  for (const [sent, kept] of cases) {
    const rows = encodeText("logs", entry(sent)).rows.toString();
    assert.ok(rows.includes(`"attributes":${kept}`), `${sent} became ${rows}`);
  }
  const wrong = problemOf(() => encodeText("logs", entry('{"1":{"2":[1e999]}}')));
  assert.equal(wrong.options.errors?.[0]?.pointer, "/entries/0/attributes/1/2/0");
});

test("a deeply nested entry does not change the numbers of others", () => {
  const entry = (attributes: string): string =>
    `{"timestamp":"${TIME}","level":"x","message":"m","attributes":${attributes}}`;
  const deep = `{"a":${"[".repeat(2000)}${"]".repeat(2000)}}`;
  const { rows, rejected } = encodeText(
    "logs",
    `{"entries":[${entry(deep)},${entry('{"n":9007199254740993}')}]}`,
    true,
  );
  assert.equal(rejected, 1);
  assert.ok(rows.includes('{"n":9007199254740993}'));
});

test("lone surrogates in strings and keys are replaced", () => {
  const lone = "a\ud800b";
  const mended = "a\ufffdb";
  const [log] = rowsOf(
    encode("logs", [
      { ...LOG, level: lone, message: lone, service: lone, attributes: { [lone]: [lone, { x: lone }] } },
    ]),
  );
  assert.deepEqual(log?.["attributes"], { [mended]: [mended, { x: mended }] });
  assert.deepEqual([log?.["level"], log?.["message"], log?.["service"]], [mended, mended, mended]);
  const [metric] = rowsOf(encode("metrics", [{ ...METRIC, tags: { "\ud800": "1", "\udbff": "2" } }]));
  assert.deepEqual(metric?.["tags"], { "\ufffd": "2" });
  const [pair] = rowsOf(
    encodeText("logs", `{"entries":[{"timestamp":"${TIME}","level":"x","message":"\\ud83d\\ude42 \\u0000 \\u2028"}]}`),
  );
  assert.equal(pair?.["message"], "🙂 \u0000 \u2028");
  assert.ok(!encode("logs", [{ ...LOG, message: "\ud800" }]).rows.includes("\\ud800"));
});

test("odd keys have no special effect", () => {
  const body = `{"entries":[{"timestamp":"${TIME}","level":"x","message":"m","attributes":{"__proto__":{"a":1},"constructor":"c","toJSON":"t","":"e"}}]}`;
  assert.ok(encodeText("logs", body).rows.includes('{"__proto__":{"a":1},"constructor":"c","toJSON":"t","":"e"}'));
  const mended = body.replace('"e"', '"\\ud800"');
  assert.ok(
    encodeText("logs", mended).rows.includes('{"__proto__":{"a":1},"constructor":"c","toJSON":"t","":"\ufffd"}'),
  );
});

test("one invalid entry refuses all, with the first 20 places", () => {
  const entries = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? { ...LOG, level: 1, extra: 1 } : LOG));
  const problem = problemOf(() => encode("logs", entries));
  const pointers = problem.options.errors?.map(({ pointer }) => pointer) ?? [];
  assert.equal(pointers.length, PROBLEM_PLACES_MAX);
  assert.deepEqual(pointers.slice(0, 3), ["/entries/0/extra", "/entries/0/level", "/entries/2/extra"]);
  assert.match(problem.message, /15 of 30/);
});

test("lenient accepts the valid entries and reports the others", () => {
  const entries = Array.from({ length: 60 }, (_, i) =>
    i % 2 === 0 ? { ...LOG, message: i } : { ...LOG, message: `m${i}` },
  );
  const encoded = encode("logs", entries, true);
  assert.deepEqual([encoded.count, encoded.rejected, encoded.errors.length], [30, 30, PROBLEM_PLACES_MAX]);
  assert.deepEqual(
    rowsOf(encoded).map((row) => row["message"]),
    entries.filter((_, i) => i % 2 === 1).map(({ message }) => message),
  );
  const none = encode("logs", [{}], true);
  assert.deepEqual([none.count, none.rejected, none.rows.length], [0, 1, 0]);
});

test("levels get OpenTelemetry's severity number", () => {
  const levels: Record<string, number | undefined> = {
    trace: 1,
    DEBUG: 5,
    info: 9,
    Info: 9,
    INFORMATION: 9,
    notice: 10,
    warn: 13,
    WARNING: 13,
    error: 17,
    Err: 17,
    fatal: 21,
    critical: 21,
    CRIT: 21,
    alert: 22,
    emerg: 24,
    INFO2: 10,
    fatal4: 24,
    success: undefined,
    "": undefined,
    constructor: undefined,
  };
  const rows = rowsOf(
    encode(
      "logs",
      Object.keys(levels).map((level) => ({ ...LOG, level })),
    ),
  );
  assert.deepEqual(
    rows.map((row) => [row["level"], row["severity"]]),
    Object.entries(levels),
  );
});
