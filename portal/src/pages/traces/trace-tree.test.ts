import assert from "node:assert/strict";
import { test } from "node:test";
import { traceOf, visibleRows, type Node, type Span } from "./trace-tree.ts";

function span(spanId: string, parentId: string, startMs: number, durationMs: number, more: Partial<Span> = {}): Span {
  return {
    spanId,
    parentId,
    startMs,
    durationMs,
    name: spanId,
    service: "shop",
    kind: "internal",
    status: "ok",
    attributes: {},
    ...more,
  };
}

const NONE: ReadonlySet<string> = new Set();
const outline = (roots: readonly Node[]): string[] =>
  visibleRows(roots, NONE).map((node) => "  ".repeat(node.depth) + node.span.spanId);

test("spans are below their parents, in order of their start", () => {
  const trace = traceOf([
    span("c", "a", 60, 30),
    span("a", "", 0, 100),
    span("b", "a", 10, 20, { status: "error", service: "bank" }),
    span("d", "b", 12, 5),
  ]);
  assert.deepEqual(outline(trace.roots), ["a", "  b", "    d", "  c"]);
  assert.deepEqual(
    [trace.startMs, trace.durationMs, trace.spans, trace.errors, trace.services],
    [0, 100, 4, 1, ["bank", "shop"]],
  );
  assert.equal(trace.roots[0]?.below, 3);
  assert.equal(trace.roots[0]?.errorsBelow, 1);
});

test("a span whose parent did not arrive is at the top and says so", () => {
  const trace = traceOf([span("a", "", 0, 10), span("b", "gone", 2, 3), span("c", "b", 3, 1)]);
  assert.deepEqual(outline(trace.roots), ["a", "b", "  c"]);
  assert.equal(trace.roots[1]?.reason, "orphan");
  assert.equal(trace.orphans, 1);
});

test("a cycle is cut at its earliest span, and every span is shown once", () => {
  const trace = traceOf([
    span("a", "c", 0, 10),
    span("b", "a", 1, 5),
    span("c", "b", 2, 3),
    span("self", "self", 4, 1),
    span("leaf", "c", 3, 1),
  ]);
  assert.deepEqual(outline(trace.roots), ["a", "  b", "    c", "      leaf", "self"]);
  assert.deepEqual(
    trace.roots.map(({ reason }) => reason),
    ["cycle", "cycle"],
  );
});

test("a span that arrived twice is shown once; two spans with one ID are both shown", () => {
  const trace = traceOf([
    span("a", "", 0, 10, { kind: "client" }),
    span("a", "", 0, 10, { kind: "client" }),
    span("a", "", 1, 8, { name: "server side" }),
    span("b", "a", 2, 1),
  ]);
  assert.equal(trace.repeated, 1);
  assert.deepEqual(outline(trace.roots), ["a", "  b", "a"]);
  assert.equal(new Set(visibleRows(trace.roots, NONE).map(({ key }) => key)).size, 3);
});

test("own time and gaps are the times that no child covers", () => {
  const [root] = traceOf([
    span("a", "", 0, 100),
    span("b", "a", 10, 30),
    span("c", "a", 20, 30),
    span("d", "a", 90, 50),
  ]).roots;
  assert.equal(root?.ownMs, 10 + 40);
  assert.deepEqual(root?.gaps, [
    { startMs: 50, durationMs: 40 },
    { startMs: 0, durationMs: 10 },
  ]);
});

test("the spans that delayed the end are critical", () => {
  const trace = traceOf([
    span("a", "", 0, 100),
    span("early", "a", 0, 40),
    span("beside", "a", 10, 20),
    span("late", "a", 50, 45),
    span("inner", "late", 60, 10),
  ]);
  const critical = visibleRows(trace.roots, NONE)
    .filter(({ isCritical }) => isCritical)
    .map(({ span: { spanId } }) => spanId);
  assert.deepEqual(critical, ["a", "early", "late", "inner"]);
});

test("spans below a folded one are hidden", () => {
  const { roots } = traceOf([span("a", "", 0, 10), span("b", "a", 1, 2), span("c", "b", 1, 1)]);
  const folded = new Set([roots[0]?.children[0]?.key ?? ""]);
  assert.deepEqual(
    visibleRows(roots, folded).map((node) => node.span.spanId),
    ["a", "b"],
  );
});

test("a trace of ten thousand spans, each below the one before, is built", () => {
  const spans = Array.from({ length: 10_000 }, (_, n) => span(`s${n}`, n === 0 ? "" : `s${n - 1}`, n, 20_000 - 2 * n));
  assert.equal(visibleRows(traceOf(spans).roots, NONE).length, 10_000);
});

test("no spans make an empty trace", () => {
  assert.deepEqual(traceOf([]).roots, []);
  assert.equal(traceOf([]).durationMs, 0);
});
