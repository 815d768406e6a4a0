import assert from "node:assert/strict";
import { test } from "node:test";
import { OTLP_VALUES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { encodeOtlp } from "../otlp/encode.ts";
import { decodeProtobuf } from "./decode.ts";
import { exportResponse, statusMessage } from "../otlp/responses.ts";
import { REQUESTS } from "../otlp/schema.ts";

/** Returns a field: number and wire type as the encoding's key, then its bytes. */
const varint = (value: bigint): number[] =>
  value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)];
const key = (number: number, wire: number): number[] => varint(BigInt(number * 8 + wire));
const len = (number: number, bytes: Iterable<number>): number[] => {
  const content = [...bytes];
  return [...key(number, 2), ...varint(BigInt(content.length)), ...content];
};
const num = (number: number, value: number | bigint): number[] => [
  ...key(number, 0),
  ...varint(BigInt.asUintN(64, BigInt(value))),
];
const fixed = (number: number, value: bigint): number[] => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return [...key(number, 1), ...bytes];
};
const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const text = (number: number, value: string): number[] => len(number, Buffer.from(value));

const NANOS = 1_763_625_600_123_456_789n;

const logs = (...records: number[][]): Buffer =>
  Buffer.from(
    len(
      1,
      len(
        2,
        records.flatMap((record) => len(2, record)),
      ),
    ),
  );

/** Returns the log records of the body. */
function records(body: Buffer): unknown {
  const request = decodeProtobuf(REQUESTS.logs, body) as { resourceLogs: [{ scopeLogs: [{ logRecords: unknown }] }] };
  return request.resourceLogs[0].scopeLogs[0].logRecords;
}

test("each kind of field is read, IDs as hexadecimal", () => {
  const record = [
    ...fixed(1, NANOS),
    ...num(2, 9),
    ...text(3, "Größe"),
    ...len(5, num(3, -5)),
    ...len(6, [...text(1, "k"), ...len(2, num(2, 1))]),
    ...len(6, [...text(1, "d"), ...len(2, [...key(4, 1), ...double(0.5)])]),
    ...len(6, [...text(1, "big"), ...len(2, num(3, 2n ** 63n - 1n))]),
    ...len(6, [...text(1, "b"), ...len(2, len(7, [1, 2]))]),
    ...len(9, Buffer.from("5b8efff798038103d269b633813fc60c", "hex")),
  ];
  assert.deepEqual(records(logs(record)), [
    {
      timeUnixNano: NANOS,
      severityNumber: 9,
      severityText: "Größe",
      body: { intValue: -5 },
      attributes: [
        { key: "k", value: { boolValue: true } },
        { key: "d", value: { doubleValue: 0.5 } },
        { key: "big", value: { intValue: 2n ** 63n - 1n } },
        { key: "b", value: { bytesValue: "AQI=" } },
      ],
      traceId: "5b8efff798038103d269b633813fc60c",
    },
  ]);
});

test("unknown fields of every wire type are skipped, and known fields with another wire type", () => {
  const unknown = [...num(100, 2n ** 64n - 1n), ...fixed(101, 1n), ...text(102, "x"), ...key(103, 5), 0, 0, 0, 0];
  assert.deepEqual(records(logs([...unknown, ...num(3, 7), ...text(2, "x"), ...num(2, 1)])), [{ severityNumber: 1 }]);
});

test("repeated numbers are read in the packed form and one by one", () => {
  const bounds = [1, 2].map(double);
  const counts = [1n, 2n, 3n].map((count) => fixed(6, count));
  for (const point of [
    [
      ...len(7, Buffer.concat(bounds)),
      ...len(
        6,
        counts.flatMap((field) => field.slice(1)),
      ),
    ],
    [...bounds.flatMap((bound) => [...key(7, 1), ...bound]), ...counts.flat()],
  ]) {
    const metric = len(2, [...text(1, "m"), ...len(9, len(1, [...point, ...fixed(4, 6n)]))]);
    const { rows } = encodeOtlp("metrics", Buffer.from(len(1, len(2, metric))), {
      format: "protobuf",
      receivedMs: 0,
      projectId: "prj_1",
    });
    const values = rows
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { value: number }).value);
    assert.deepEqual(values, [6, 1, 3, 6]);
  }
});

test("zigzag integers: the offset of a bucket can be negative", () => {
  const positive = [...key(1, 0), 3, ...len(2, [1])];
  const point = len(1, [...fixed(4, 1n), ...len(8, positive)]);
  const request = decodeProtobuf(REQUESTS.metrics, Buffer.from(len(1, len(2, len(2, len(10, point))))));
  assert.match(JSON.stringify(request), /"positive":\{"offset":-2,"bucketCounts":\[1\]\}/);
});

test("no bytes are an empty request", () => {
  assert.deepEqual(decodeProtobuf(REQUESTS.traces, Buffer.alloc(0)), {});
});

const whole = logs([...fixed(1, NANOS), ...text(3, "INFO"), ...len(5, text(1, "hello"))]);

test("a message that is cut anywhere is either refused or a shorter message; nothing else is thrown", () => {
  for (let end = 1; end < whole.length; end++) {
    assert.throws(() => decodeProtobuf(REQUESTS.logs, whole.subarray(0, end)), { code: "invalid_body" });
  }
});

for (const [name, bytes] of [
  ["JSON", [...Buffer.from('{"resourceLogs":[]}')]],
  ["field 0", [0, 1]],
  ["a varint of 11 bytes", [8, ...Array.from({ length: 10 }, () => 0xff), 1]],
  ["a group", [0x0b]],
  ["a length beyond the end", [10, 0xff, 0xff, 0xff, 0xff, 0x0f]],
  ["a length beyond its parent", [10, 2, 18, 100]],
] as const) {
  test(`refused: ${name}`, () => {
    assert.throws(() => decodeProtobuf(REQUESTS.logs, Buffer.from(bytes)), { code: "invalid_body" });
  });
}

test("random bytes are accepted or refused without another error", () => {
  let state = 1;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647);
  for (let round = 0; round < 2000; round++) {
    const body = Buffer.from(whole);
    for (let flips = 1 + (round % 4); flips > 0; flips--) body[random() % body.length] = random() % 256;
    try {
      encodeOtlp("logs", body, { format: "protobuf", receivedMs: 0, projectId: null });
    } catch (error) {
      assert.ok(error instanceof Problem, String(error));
    }
  }
});

test("a nesting that exceeds any stack refuses only its record", () => {
  const wrap = (field: number, inner: Buffer): Buffer =>
    Buffer.concat([Buffer.from([...key(field, 2), ...varint(BigInt(inner.length))]), inner]);
  let value: Buffer = Buffer.from(num(3, 1));
  // Built from the inside: each level is an AnyValue with a list of one.
  for (let level = 0; level < 5000; level++) value = wrap(5, wrap(1, value));
  const body = logs([...len(6, [...text(1, "deep"), ...len(2, value)])], [...len(5, text(1, "kept"))]);
  const encoded = encodeOtlp("logs", body, { format: "protobuf", receivedMs: 0, projectId: null });
  assert.deepEqual([encoded.count, encoded.rejected], [1, 1]);
});

test("too many messages in few bytes are refused", () => {
  const record = Buffer.from([18, 0]);
  const many = Buffer.concat(Array.from({ length: OTLP_VALUES_MAX }, () => record));
  const wrap = (field: number, inner: Buffer): Buffer =>
    Buffer.concat([Buffer.from([...key(field, 2), ...varint(BigInt(inner.length))]), inner]);
  assert.throws(() => decodeProtobuf(REQUESTS.logs, wrap(1, wrap(2, many))), { code: "body_too_large" });
});

test("answers as protobuf: nothing for full success, counts and a message for partial success, a status for an error", () => {
  const none = { rows: Buffer.alloc(0), count: 0, rejected: 0, errors: [] };
  assert.equal(exportResponse("logs", "protobuf", none).length, 0);
  const errors = [{ pointer: "/entries/3/level", detail: "is long" }];
  const partial = exportResponse("logs", "protobuf", { ...none, rejected: 300, errors });
  const message = "300 log records were refused, the others stored; record 3 /level is long";
  assert.deepEqual([...partial], len(1, [...num(1, 300), ...text(2, message)]));
  assert.deepEqual([...statusMessage("protobuf", 3, "bad")], [...num(1, 3), ...text(2, "bad")]);
});
