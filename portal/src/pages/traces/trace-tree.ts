/** A row of the table `traces`. */
export interface Span {
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly service: string;
  readonly kind: string;
  readonly status: string;
  /** Milliseconds since 1970, with a fraction. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Why a span is at the top: it has no parent, its parent did not arrive, or it is its own ancestor. */
export type RootReason = "root" | "orphan" | "cycle";

export interface Node {
  /** The span's id, with a suffix if the id occurs twice. */
  readonly key: string;
  readonly span: Span;
  readonly children: readonly Node[];
  readonly depth: number;
  /** Null: not at the top. */
  readonly reason: RootReason | null;
  /** The number of all spans below. */
  readonly below: number;
  readonly errorsBelow: number;
  /** The time in which no child ran. */
  readonly ownMs: number;
  /** Times within the span in which no child ran, although some ran before or after; longest first. */
  readonly gaps: readonly Gap[];
  /** Whether the trace would have ended earlier if this span had been shorter. */
  readonly isCritical: boolean;
}

export interface Gap {
  readonly startMs: number;
  readonly durationMs: number;
}

export interface Trace {
  readonly roots: readonly Node[];
  readonly startMs: number;
  readonly durationMs: number;
  readonly spans: number;
  readonly errors: number;
  readonly orphans: number;
  /** The number of spans that arrived more than once. They are shown once. */
  readonly repeated: number;
  readonly services: readonly string[];
}

/** The least share of the trace for which a gap is marked. */
const GAP_SHARE = 0.05;

/** Any status other than `ok` and unset. */
export function isError({ status }: Pick<Span, "status">): boolean {
  return status !== "ok" && status !== "" && status !== "unset";
}

/** Builds the tree of a trace's spans. It handles missing parents, repeated ids and cycles. */
export function traceOf(all: readonly Span[]): Trace {
  const spans = withoutRepeated(all);
  const firstById = new Map<string, number>();
  spans.forEach(({ spanId }, index) => {
    if (!firstById.has(spanId)) firstById.set(spanId, index);
  });
  const { childrenOf, tops } = placed(spans, firstById);
  const startMs = Math.min(...spans.map((span) => span.startMs), Infinity);
  const endMs = spans.reduce((end, span) => Math.max(end, endOf(span)), -Infinity);
  const durationMs = spans.length === 0 ? 0 : endMs - startMs;
  const critical = criticalSpans(spans, childrenOf, tops);
  const build = nodeBuilder({ spans, firstById, childrenOf, tops, critical, gapMs: durationMs * GAP_SHARE });
  return {
    roots: build(),
    startMs: spans.length === 0 ? 0 : startMs,
    durationMs,
    spans: spans.length,
    errors: spans.filter(isError).length,
    orphans: [...tops.values()].filter((reason) => reason !== "root").length,
    repeated: all.length - spans.length,
    services: [...new Set(spans.map(({ service }) => service))].filter((service) => service !== "").toSorted(),
  };
}

function endOf({ startMs, durationMs }: Span): number {
  return startMs + durationMs;
}

/** Removes repeated spans: if an exporter retries, the same span is stored twice. */
function withoutRepeated(all: readonly Span[]): readonly Span[] {
  const seen = new Set<string>();
  const kept = all.filter(({ spanId, parentId, name, service, startMs, durationMs }) => {
    const mark = JSON.stringify([spanId, parentId, name, service, startMs, durationMs]);
    if (seen.has(mark)) return false;
    seen.add(mark);
    return true;
  });
  return kept.toSorted((a, b) => a.startMs - b.startMs || b.durationMs - a.durationMs);
}

interface Placed {
  readonly childrenOf: ReadonlyMap<number, readonly number[]>;
  readonly tops: ReadonlyMap<number, RootReason>;
}

/** Finds the children of each span, by index. A cycle is cut at its earliest span. */
function placed(spans: readonly Span[], firstById: ReadonlyMap<string, number>): Placed {
  const tops = new Map<number, RootReason>();
  const parentOf = spans.map(({ parentId }, index) => {
    const parent = parentId === "" ? undefined : firstById.get(parentId);
    if (parentId === "") tops.set(index, "root");
    else if (parent === undefined) tops.set(index, "orphan");
    else if (parent === index) tops.set(index, "cycle");
    return parent === index ? undefined : parent;
  });
  for (const index of ringStarts(parentOf)) {
    tops.set(index, "cycle");
    parentOf[index] = undefined;
  }
  const childrenOf = new Map<number, number[]>();
  parentOf.forEach((parent, index) => {
    if (parent === undefined) return;
    const siblings = childrenOf.get(parent);
    if (siblings === undefined) childrenOf.set(parent, [index]);
    else siblings.push(index);
  });
  return { childrenOf, tops };
}

/** Returns the earliest span of each cycle of parents. It visits each span once. */
function ringStarts(parentOf: readonly (number | undefined)[]): readonly number[] {
  const walkOf = new Map<number, number>();
  const starts: number[] = [];
  for (let from = 0; from < parentOf.length; from++) {
    let at: number | undefined = from;
    while (at !== undefined && !walkOf.has(at)) {
      walkOf.set(at, from);
      at = parentOf[at];
    }
    if (at === undefined || walkOf.get(at) !== from) continue;
    let earliest = at;
    for (let next = parentOf[at]; next !== undefined && next !== at; next = parentOf[next])
      earliest = Math.min(earliest, next);
    starts.push(earliest);
  }
  return starts;
}

/**
 * Returns the critical path: it starts at the root that ends last, and goes backwards in time to the child that ended
 * last before the next one started.
 */
function criticalSpans(
  spans: readonly Span[],
  childrenOf: Placed["childrenOf"],
  tops: Placed["tops"],
): ReadonlySet<number> {
  const critical = new Set<number>();
  const end = (index: number): number => endOf(spans[index] as Span);
  const start = (index: number): number => (spans[index] as Span).startMs;
  const last = [...tops.keys()].reduce<number | undefined>(
    (latest, index) => (latest === undefined || end(index) > end(latest) ? index : latest),
    undefined,
  );
  const open = last === undefined ? [] : [last];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    critical.add(index);
    const byEnd = (childrenOf.get(index) ?? []).toSorted((a, b) => end(b) - end(a));
    let before = end(index);
    for (const child of byEnd) {
      if (end(child) > before) continue;
      open.push(child);
      before = start(child);
    }
  }
  return critical;
}

interface Parts extends Placed {
  readonly firstById: ReadonlyMap<string, number>;
  readonly spans: readonly Span[];
  readonly critical: ReadonlySet<number>;
  readonly gapMs: number;
}

/** Builds the nodes from the leaves up. It uses no recursion, since a trace may be thousands of spans deep. */
function nodeBuilder({ spans, firstById, childrenOf, tops, critical, gapMs }: Parts): () => readonly Node[] {
  return () => {
    const depths = new Map<number, number>();
    const order = [...tops.keys()].toSorted((a, b) => a - b);
    for (const index of order) depths.set(index, 0);
    for (let place = 0; place < order.length; place++) {
      const index = order[place] as number;
      for (const child of childrenOf.get(index) ?? []) {
        depths.set(child, (depths.get(index) ?? 0) + 1);
        order.push(child);
      }
    }
    const nodes = new Map<number, Node>();
    for (const index of order.toReversed()) {
      const span = spans[index] as Span;
      const children = (childrenOf.get(index) ?? []).map((child) => nodes.get(child) as Node);
      nodes.set(index, {
        key: firstById.get(span.spanId) === index ? span.spanId : `${span.spanId}~${index}`,
        span,
        children,
        depth: depths.get(index) ?? 0,
        reason: tops.get(index) ?? null,
        below: children.reduce((sum, { below }) => sum + below + 1, 0),
        errorsBelow: children.reduce((sum, child) => sum + child.errorsBelow + (isError(child.span) ? 1 : 0), 0),
        ...uncovered(span, children, gapMs),
        isCritical: critical.has(index),
      });
    }
    return [...tops.keys()].toSorted((a, b) => a - b).map((index) => nodes.get(index) as Node);
  };
}

function uncovered(span: Span, children: readonly Node[], gapMs: number): { ownMs: number; gaps: readonly Gap[] } {
  const gaps: Gap[] = [];
  let reached = span.startMs;
  let ownMs = 0;
  const upTo = (next: number): void => {
    const durationMs = next - reached;
    if (durationMs <= 0) return;
    ownMs += durationMs;
    if (children.length > 0 && durationMs >= gapMs) gaps.push({ startMs: reached, durationMs });
  };
  for (const child of children) {
    upTo(Math.min(child.span.startMs, endOf(span)));
    reached = Math.max(reached, Math.min(endOf(child.span), endOf(span)));
  }
  upTo(endOf(span));
  return { ownMs, gaps: gaps.toSorted((a, b) => b.durationMs - a.durationMs) };
}

/** Returns the rows from the top down, without those below a folded one. */
export function visibleRows(roots: readonly Node[], folded: ReadonlySet<string>): readonly Node[] {
  const rows: Node[] = [];
  const open = roots.toReversed();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    rows.push(node);
    if (!folded.has(node.key)) open.push(...node.children.toReversed());
  }
  return rows;
}
