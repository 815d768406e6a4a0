import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { UTC, zoneOf } from "#domain/telemetry/text/index.ts";
import { entryOf } from "./entry.ts";
import { decompressed, FrameReader, MESSAGE_BYTES_MAX } from "./framing.ts";
import { parseSyslog } from "./message.ts";

const NOW_MS = Date.parse("2026-11-23T01:20:00Z");

function framesOf(text: string | Buffer, pieceBytes = Number.POSITIVE_INFINITY): string[] {
  const reader = new FrameReader();
  const bytes = Buffer.from(text);
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    for (const frame of reader.push(bytes.subarray(at, at + pieceBytes))) found.push(frame.bytes);
  for (const frame of reader.end()) found.push(frame.bytes);
  return found.map((frame) => frame.toString());
}

test("each message chooses its framing", () => {
  const streams: readonly [string, string[]][] = [
    ["<1>a\n<1>b\n", ["<1>a", "<1>b"]],
    ["<1>a\0<1>b\0", ["<1>a", "<1>b"]],
    ["<1>a\r\n\n<1>b", ["<1>a\r", "<1>b"]],
    ["6 <1>a\n\n4 <1>b", ["<1>a\n\n", "<1>b"]],
    ["4 <1>a\n4 <1>b\n<1>c\n4 <1>d", ["<1>a", "<1>b", "<1>c", "<1>d"]],
    ["<1>a 67 <2>b\n<1>c\n", ["<1>a 67 <2>b", "<1>c"]],
    ["2026-11-23 no priority\n", ["2026-11-23 no priority"]],
    ["20 bottles\n<1>b\n", ["20 bottles", "<1>b"]],
    ["12345678 <1>a\n", ["12345678 <1>a"]],
    ["0 <1>a\n", ["0 <1>a"]],
    ["9 <1>half", []],
    ["", []],
  ];
  for (const [sent, expected] of streams)
    for (const piece of [1, 2, 3, 7, Number.POSITIVE_INFINITY])
      assert.deepEqual(framesOf(sent, piece), expected, JSON.stringify([sent, piece]));
});

test("long messages are cut, and the next one is read", () => {
  const long = "x".repeat(MESSAGE_BYTES_MAX + 10);
  for (const sent of [`<1>${long}\n<1>b\n`, `${long.length + 3} <1>${long}<1>b\n`])
    for (const piece of [1000, 65_537, Number.POSITIVE_INFINITY]) {
      const [first, second, ...more] = framesOf(sent, piece);
      assert.deepEqual([first?.length, second, more], [MESSAGE_BYTES_MAX, "<1>b", []], `${sent.slice(0, 9)} ${piece}`);
    }
  const reader = new FrameReader();
  assert.equal(reader.push(Buffer.from(`9999999 <1>${long}`))[0]?.cut, true);
  for (let i = 0; i < 20; i++) assert.deepEqual(reader.push(Buffer.alloc(60_000, 0x41)), []);
});

test("compressed messages of rsyslog among plain ones", () => {
  const message = `<11>Nov 23 01:16:06 vm app: ${"long ".repeat(40)}`;
  const packed = Buffer.concat([Buffer.from("z"), deflateSync(message)]);
  const stream = Buffer.concat([
    Buffer.from("<1>a\n"),
    Buffer.from(`${packed.length} `),
    packed,
    Buffer.from("<1>b\n"),
  ]);
  const frames = new FrameReader().push(stream).map((frame) => decompressed(frame)?.bytes.toString());
  assert.deepEqual(frames, ["<1>a", message, "<1>b"]);
  const bomb = Buffer.concat([Buffer.from("z"), deflateSync(Buffer.alloc(MESSAGE_BYTES_MAX * 2))]);
  assert.equal(decompressed({ bytes: bomb, cut: false }), undefined);
  assert.equal(decompressed({ bytes: Buffer.from("zebra"), cut: false })?.bytes.toString(), "zebra");
});

const parse = (text: string, zone = UTC): Record<string, unknown> => {
  const entries = Object.entries(parseSyslog(text, { zone, nowMs: NOW_MS }));
  return Object.fromEntries(
    entries.filter(
      ([, value]) => value !== undefined && !(typeof value === "object" && Object.keys(value).length === 0),
    ),
  );
};

/** Each name is followed by the message as sent, and its parts. */
const MESSAGES: readonly [string, string, Record<string, unknown>][] = [
  [
    "rsyslog, default",
    "<11>Nov 23 01:16:06 vm app: text",
    { facility: 1, severity: 3, timestamp: "2026-11-23T01:16:06Z", host: "vm", app: "app", text: "text" },
  ],
  [
    "rsyslog, SyslogProtocol23Format",
    "<11>1 2026-11-23T01:16:06.050046+00:00 vm app - - -  text\n",
    {
      facility: 1,
      severity: 3,
      timestamp: "2026-11-23T01:16:06.050046+00:00",
      host: "vm",
      app: "app",
      text: "text",
    },
  ],
  [
    "rsyslog, ForwardFormat",
    "<11>2026-11-23T01:16:06.050046+00:00 vm app[12]: text",
    {
      facility: 1,
      severity: 3,
      timestamp: "2026-11-23T01:16:06.050046+00:00",
      host: "vm",
      app: "app",
      pid: "12",
      text: "text",
    },
  ],
  [
    "rsyslog, RFC 5424 from /dev/log",
    "<13>Nov 23 01:16:06 vm 1 2026-11-23T01:16:05Z vm tool 7 ID - inner",
    {
      facility: 1,
      severity: 5,
      timestamp: "2026-11-23T01:16:05Z",
      host: "vm",
      app: "tool",
      pid: "7",
      messageId: "ID",
      text: "inner",
    },
  ],
  [
    "util-linux logger",
    '<13>1 2026-11-23T01:16:06.1+01:00 vm root 99 - [timeQuality tzKnown="1" isSynced="0"] hello',
    {
      facility: 1,
      severity: 5,
      timestamp: "2026-11-23T01:16:06.1+01:00",
      host: "vm",
      app: "root",
      pid: "99",
      data: { timeQuality: { tzKnown: "1", isSynced: "0" } },
      text: "hello",
    },
  ],
  ["Python's SysLogHandler", "<12>text: with a colon\0", { facility: 1, severity: 4, text: "text: with a colon" }],
  [
    "a local program",
    "<30>Nov  3 01:16:06 cron[5]: (root) CMD (run)",
    {
      facility: 3,
      severity: 6,
      timestamp: "2026-11-03T01:16:06Z",
      app: "cron",
      pid: "5",
      text: "(root) CMD (run)",
    },
  ],
  [
    "Cisco",
    "<189>123: *Nov 23 01:16:06.123 UTC: %SYS-5-CONFIG_I: Configured from console",
    {
      facility: 23,
      severity: 5,
      sequence: "123",
      timestamp: "2026-11-23T01:16:06.123Z",
      messageId: "SYS-5-CONFIG_I",
      text: "%SYS-5-CONFIG_I: Configured from console",
    },
  ],
  [
    "Heroku, without structured data",
    "<40>1 2026-11-23T01:16:06+00:00 host app web.3 - State changed",
    {
      facility: 5,
      severity: 0,
      timestamp: "2026-11-23T01:16:06+00:00",
      host: "host",
      app: "app",
      pid: "web.3",
      text: "State changed",
    },
  ],
  [
    "RFC 5424, example 4, with a mark",
    '<165>1 2026-10-11T22:14:15.003Z mymachine - - ID47 [a@1 x="\\"\\]\\\\"][b@1] \u{feff}An event',
    {
      facility: 20,
      severity: 5,
      timestamp: "2026-10-11T22:14:15.003Z",
      host: "mymachine",
      messageId: "ID47",
      data: { "a@1": { x: '"]\\' }, "b@1": {} },
      text: "An event",
    },
  ],
  [
    "no tag",
    "<13>Nov 23 01:16:06 vm the text has no tag",
    { facility: 1, severity: 5, timestamp: "2026-11-23T01:16:06Z", host: "vm", text: "the text has no tag" },
  ],
  ["no priority", "just text", { text: "just text" }],
  ["a priority beyond the last", "<192>text", { text: "<192>text" }],
  ["nothing but a priority", "<13>", { facility: 1, severity: 5, text: "" }],
  ["data that is not valid", "<13>1 - - - - - [a b] text", { facility: 1, severity: 5, text: "[a b] text" }],
];

test("messages of real senders", () => {
  for (const [name, sent, expected] of MESSAGES) assert.deepEqual(parse(sent), expected, name);
});

test("the key of a message is not in its data", () => {
  const { key, data } = parse('<13>1 - - - - - [token@32473 key="mrik_x"][a@1 b="c"] text');
  assert.deepEqual([key, data], ["mrik_x", { "a@1": { b: "c" } }]);
});

test("the year is the nearest one, and the zone is the listener's", () => {
  const at = (nowMs: string, text: string, zone = UTC): unknown =>
    parseSyslog(`<13>${text} vm app: x`, { zone, nowMs: Date.parse(nowMs) }).timestamp;
  assert.equal(at("2027-01-01T00:05:00Z", "Dec 31 23:59:59"), "2026-12-31T23:59:59Z");
  assert.equal(at("2026-12-31T23:59:00Z", "Jan  1 00:00:10"), "2027-01-01T00:00:10Z");
  assert.equal(at("2028-02-29T12:00:00Z", "Feb 29 11:00:00"), "2028-02-29T11:00:00Z");
  assert.equal(at("2026-07-01T12:00:00Z", "Jul  1 14:00:00", zoneOf("Europe/Berlin") ?? UTC), "2026-07-01T12:00:00Z");
  assert.equal(at("2026-07-01T12:00:00Z", "Jul 32 14:00:00"), undefined);
});

test("entries have levels, and a time that is too far ahead is kept as an attribute", () => {
  const arrival = { nowMs: NOW_MS, peer: "10.0.0.9", cut: false };
  const entry = (text: string): Record<string, unknown> =>
    entryOf(parseSyslog(text, { zone: UTC, nowMs: NOW_MS }), arrival);
  const levels = [0, 1, 2, 3, 4, 5, 6, 7].map((severity) => entry(`<${severity}>x`)["level"]);
  assert.deepEqual(levels, ["fatal", "fatal", "fatal", "error", "warn", "info", "info", "debug"]);
  assert.equal(entry("x")["level"], "unspecified");
  const ahead = entry("<13>1 2026-11-25T01:16:06Z - - - - - x");
  assert.equal(ahead["timestamp"], "2026-11-23T01:20:00.000Z");
  assert.deepEqual(ahead["attributes"], {
    host: "10.0.0.9",
    facility: "user",
    sent_timestamp: "2026-11-25T01:16:06Z",
  });
});

test("hostile texts are read in time", () => {
  const texts = [
    "<13>1 " + "[".repeat(60_000),
    `<13>1 - - - - - [a ${'b="\\'.repeat(10_000)}`,
    "<13>" + ": ".repeat(30_000),
  ];
  for (const text of texts) {
    const startedMs = performance.now();
    parse(text);
    assert.ok(performance.now() - startedMs < 200, text.slice(0, 20));
  }
});
