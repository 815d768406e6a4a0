import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rule } from "#domain/ingest-rules/index.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { applyRules } from "./apply.ts";

const AT = "2026-11-20T08:00:00Z";
let made = 0;

function rule(action: Rule["action"], more: Partial<Rule> = {}): Rule {
  return {
    id: `rule_${++made}`,
    types: ["logs", "metrics", "traces"],
    projectId: null,
    sender: null,
    match: {},
    action,
    ...more,
  };
}

const rowsOf = (lines: readonly (object | string)[]): { rows: Buffer; count: number } => ({
  rows: Buffer.from(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("")),
  count: lines.length,
});

function applied(type: TelemetryType, lines: readonly (object | string)[], ...rules: readonly Rule[]) {
  const before = rowsOf(lines);
  const { rows, count, removed, ruleCounts } = applyRules(type, before, rules);
  const left = rows.toString().split("\n").slice(0, -1);
  assert.deepEqual([left.length, removed], [count, lines.length - count]);
  return { left, counts: Object.values(ruleCounts), isSame: rows === before.rows };
}

const MASK: Rule["action"] = { kind: "mask", masks: ["card", "token", "email"] };

test("each member of match, and all together", () => {
  const log = {
    timestamp: AT,
    level: "Info",
    severity: 9,
    message: "hello world",
    service: "shop",
    attributes: { a: 1, "b.c": "x", n: { m: "y" } },
    project_id: "proj_a",
  };
  const yes: Rule["match"][] = [
    {},
    { service: "shop" },
    { level: "info" },
    { severity_from: 9, severity_below: 10 },
    { message_contains: "lo wo" },
    { attributes: { a: "1", "b.c": "x", "/n/m": "y", n: '{"m":"y"}' } },
    { service: "shop", level: "INFO" },
  ];
  const no: Rule["match"][] = [
    { service: "api" },
    { level: "warn" },
    { severity_from: 10 },
    { severity_below: 9 },
    { name: "hello" },
    { message_contains: "Hello" },
    { attributes: { a: "2" } },
    { attributes: { constructor: "x" } },
    { service: "shop", level: "warn" },
  ];
  for (const match of yes)
    assert.deepEqual(applied("logs", [log], rule({ kind: "drop" }, { match })).left, [], JSON.stringify(match));
  for (const match of no)
    assert.equal(applied("logs", [log], rule({ kind: "drop" }, { match })).left.length, 1, JSON.stringify(match));
  const other = rule({ kind: "drop" }, { projectId: "proj_b" });
  assert.equal(applied("logs", [log], other).left.length, 1);
  assert.equal(applied("logs", [log], rule({ kind: "drop" }, { projectId: "proj_a" })).left.length, 0);
  assert.equal(applied("logs", [log], rule({ kind: "drop" }, { types: ["traces"] })).left.length, 1);
  const sample = { timestamp: AT, name: "m", value: 1, tags: { "service.name": "shop", host: "h" } };
  for (const match of [{ service: "shop" }, { name: "m" }, { attributes: { host: "h" } }])
    assert.equal(applied("metrics", [sample], rule({ kind: "drop" }, { match })).left.length, 0);
});

test("the tests before parsing find every form of a value", () => {
  const drop = (match: Rule["match"]): Rule => rule({ kind: "drop" }, { match });
  const other = '{"message":"other","severity":9}';
  const forms: [Rule["match"], string][] = [
    [{ message_contains: "GET /a" }, String.raw`{"message":"GET \/a"}`],
    [{ message_contains: "GET" }, String.raw`{"message":"\u0047ET"}`],
    [{ message_contains: 'a"b\n' }, JSON.stringify({ message: 'a"b\n' })],
    [{ service: "straße" }, '{"service":"straße"}'],
    [{ level: "Debug" }, '{"level":"DEBUG","severity":9}'],
    [{ level: "k" }, '{"level":"\u212a"}'],
    [{ level: "ÄRGER" }, '{"level":"ärger"}'],
    [{ severity_below: 9 }, '{"attributes":{"severity":9},"severity":8,"project_id":"p"}'],
    [{ severity_from: 17 }, '{"severity":24}'],
    [{ attributes: { n: "1000", b: "true", "/o/x": "y" } }, '{"attributes":{"n":1e3,"b":true,"o":{"x":"y"}}}'],
    [{ attributes: { "a/b": "{}" } }, '{"attributes":{"a/b": { }}}'],
    [{ attributes: { f: "0.5", t: "Text" } }, JSON.stringify({ attributes: '{"f":0.50,"t":"\\u0054ext"}' })],
  ];
  for (const [match, line] of forms)
    for (const lines of [[line], [line, other], [other, line]]) {
      const { left } = applied("logs", lines, drop(match));
      assert.deepEqual(left, lines.slice(1).length === 0 ? [] : [other], JSON.stringify(match));
    }
  assert.deepEqual(applied("logs", [other], drop({ message_contains: "GET" })).counts, []);
});

test("a rule after a mask sees the masked text", () => {
  const drop = rule({ kind: "drop" }, { match: { message_contains: "to [email]" } });
  assert.deepEqual(applied("logs", ['{"message":"to ann@example.org"}'], rule(MASK), drop).left, []);
  assert.equal(applied("logs", ['{"message":"to ann@example.org"}'], drop, rule(MASK)).left.length, 1);
});

test("rows that no pattern is in are counted", () => {
  const lines = ['{"message":"plain"}', '{"message":"too"}'];
  const shop = rule({ kind: "drop" }, { match: { service: "shop" } });
  const { counts, isSame } = applied("logs", lines, rule(MASK), shop);
  assert.deepEqual([counts, isSame], [[{ matched: 2, removed: 0, masked: 0 }], true]);
});

test("a row without a change is the same bytes, and without any change the same buffer", () => {
  const lines = [
    '{"timestamp":"2026-11-20T08:00:00Z", "message":"a","attributes":{"n":1.1,"big":12345678901234567890}}',
  ];
  const { left, isSame } = applied("logs", lines, rule(MASK), rule({ kind: "drop" }, { match: { service: "x" } }));
  assert.deepEqual([left, isSame], [lines, true]);
  const both = applied(
    "logs",
    [...lines, '{"message":"b","service":"x"}'],
    rule({ kind: "drop" }, { match: { service: "x" } }),
  );
  assert.deepEqual(both.left, lines);
});

test("a mask keeps numbers, order and identifiers, and finds values at any depth", () => {
  const line =
    '{"timestamp":"2026-11-20T08:00:00Z","trace_id":"41111111111111114111111111111111","message":"to a\\u0040example.org","attributes":{"9":1.1,"1":12345678901234567890,"card":4111111111111111,"list":[{"deep":"ann@example.org"}],"plain":"x"}}';
  const { left } = applied("logs", [line], rule(MASK));
  assert.deepEqual(left, [
    '{"timestamp":"2026-11-20T08:00:00Z","trace_id":"41111111111111114111111111111111","message":"to [email]","attributes":{"9":1.1,"1":12345678901234567890,"card":"[card]","list":[{"deep":"[email]"}],"plain":"x"}}',
  ]);
  const span = { trace_id: "t", name: "GET /u/ann@example.org", attributes: JSON.stringify({ a: "ann@example.org" }) };
  assert.deepEqual(applied("traces", [span], rule(MASK)).left, [
    '{"trace_id":"t","name":"GET /u/[email]","attributes":"{\\"a\\":\\"[email]\\"}"}',
  ]);
  const sample = { name: "a@example.org", value: 4111111111111111, tags: { user: "a@example.org" } };
  assert.deepEqual(applied("metrics", [sample], rule(MASK)).left, [
    '{"name":"a@example.org","value":4111111111111111,"tags":{"user":"[email]"}}',
  ]);
});

test("a hidden repetition of a name is not stored", () => {
  const { left } = applied("logs", ['{"message":"a","attributes":{"x":"ann@example.org","x":"clean"}}'], rule(MASK));
  assert.doesNotMatch(left.join(), /ann/);
});

test("a sample keeps about one of n, whole traces, and the same rows each time", () => {
  const spans = Array.from({ length: 4000 }, (_, i) => ({
    trace_id: (i >> 1).toString(16).padStart(32, "0"),
    span_id: String(i),
  }));
  const sample = rule({ kind: "sample", oneOf: 10 });
  const first = applied("traces", spans, sample);
  const kept = first.left.map((line) => (JSON.parse(line) as { trace_id: string }).trace_id);
  assert.ok(kept.length > 250 && kept.length < 550, String(kept.length));
  assert.equal(new Set(kept).size * 2, kept.length, "no trace is cut");
  assert.deepEqual(applied("traces", spans, rule({ kind: "sample", oneOf: 10 })).left, first.left);
  const logs = Array.from({ length: 2000 }, (_, i) => ({ message: `m${i}` }));
  const some = applied("logs", logs, sample).left.length;
  assert.ok(some > 120 && some < 290, String(some));
});

test("rules run in order, and a removed row meets no other rule", () => {
  const rules = [
    rule({ kind: "drop" }, { match: { level: "debug" } }),
    rule(MASK),
    rule({ kind: "drop" }, { match: { message_contains: "@" } }),
  ];
  const logs = [
    { level: "debug", message: "a@example.org" },
    { level: "info", message: "a@example.org" },
    { level: "info", message: "@" },
  ];
  const { left, counts } = applied("logs", logs, ...rules);
  assert.deepEqual(left, ['{"level":"info","message":"[email]"}']);
  assert.deepEqual(counts, [
    { matched: 1, removed: 1, masked: 0 },
    { matched: 2, removed: 0, masked: 1 },
    { matched: 1, removed: 1, masked: 0 },
  ]);
});
