import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { UTC, type TextOptions } from "#domain/telemetry/text/index.ts";
import {
  createJsonReader,
  createTextReader,
  type Additions,
  type BadLine,
  type EntryReader,
  type EntrySink,
  type TelemetryKind,
} from "./entries.ts";

interface Read {
  readonly entries: Record<string, unknown>[];
  readonly lines: number[];
  readonly bad: BadLine[];
}

function reading(lines: readonly string[], make: (sink: EntrySink) => EntryReader): Read {
  const read: Read = { entries: [], lines: [], bad: [] };
  const reader = make({
    entry: ({ json, line }) => {
      read.entries.push(JSON.parse(json) as Record<string, unknown>);
      read.lines.push(line);
    },
    bad: (line) => read.bad.push(line),
  });
  for (const [i, text] of lines.entries()) reader.read({ text, number: i + 1, cut: false });
  reader.flush();
  return read;
}

const NOTHING: Additions = { attributes: {} };
const json = (kind: TelemetryKind, additions: Additions, ...lines: string[]): Read =>
  reading(lines, (sink) => createJsonReader(kind, additions, sink));
const OPTIONS: TextOptions = {
  zone: UTC,
  latestMs: () => Date.UTC(2026, 11, 31),
  nowIso: () => "2026-12-31T00:00:00.000Z",
};
const text = (additions: Additions, ...lines: string[]): Read =>
  reading(lines, (sink) => createTextReader(OPTIONS, additions, sink));

describe("JSON lines", () => {
  test("entries pass unchanged, empty lines do not count, bad lines are reported", () => {
    const read = json("logs", NOTHING, '{"a":1}', "", "{", "[1]", "7", '{"b":2}');
    assert.deepEqual(read.entries, [{ a: 1 }, { b: 2 }]);
    assert.deepEqual(read.lines, [1, 6]);
    assert.deepEqual(
      read.bad.map(({ line }) => line),
      [3, 4, 5],
    );
  });

  test("the service and attributes are added to entries without them", () => {
    const additions = { service: "web", attributes: { region: "eu" } };
    const read = json(
      "logs",
      additions,
      '{"m":1}',
      '{"service":"db","attributes":{"region":"us","x":1}}',
      '{"attributes":7}',
    );
    assert.deepEqual(read.entries, [
      { service: "web", m: 1, attributes: { region: "eu" } },
      { service: "db", attributes: { region: "us", x: 1 } },
      { service: "web", attributes: 7 },
    ]);
  });

  test("metrics get the service and attributes as tags", () => {
    const read = json(
      "metrics",
      { service: "web", attributes: { region: "eu" } },
      '{"name":"x","tags":{"region":"us"}}',
    );
    assert.deepEqual(read.entries, [{ name: "x", tags: { service: "web", region: "us" } }]);
  });
});

describe("plain lines", () => {
  test("a stack trace belongs to the line before", () => {
    const read = text(
      NOTHING,
      "2026-11-20T08:00:00Z ERROR it broke",
      "    at f (x.js:1)",
      "Caused by: y",
      "2026-11-20T08:00:01Z INFO ok",
    );
    assert.deepEqual(
      read.entries.map((entry) => entry["message"]),
      ["it broke\n    at f (x.js:1)\nCaused by: y", "ok"],
    );
    assert.deepEqual(read.lines, [1, 4]);
  });

  test("a line without a time is bad, also if it looks like a continuation", () => {
    assert.deepEqual(
      text(NOTHING, "  hello", "hello").bad.map(({ line }) => line),
      [1, 2],
    );
  });

  test("joined lines have a limit", () => {
    const [entry] = text(
      NOTHING,
      "2026-11-20T08:00:00Z x",
      ...Array.from({ length: 100 }, () => ` ${"y".repeat(4000)}`),
    ).entries;
    assert.ok(String(entry?.["message"]).length < 70_000);
  });

  test("the program is the service, unless an option names another service", () => {
    const line = "Dec  1 06:55:48 web1 cron[1]: x";
    assert.equal(text(NOTHING, line).entries[0]?.["service"], "cron");
    const named = text({ service: "jobs", attributes: { a: "b" } }, line).entries[0];
    assert.equal(named?.["service"], "jobs");
    assert.deepEqual(named?.["attributes"], { a: "b", host: "web1", program: "cron", pid: 1 });
  });
});
