import type { ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { CopyButton, Copyable } from "~/kit/copy.tsx";
import { durationText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { attributesOf, eventsOf, type SpanEvent } from "./span-parts.ts";
import { isError, type Node, type Trace } from "./trace-tree.ts";

/** Shows one span: its facts, attributes and events. */
export function SpanInspector({
  node,
  trace,
  traceId,
  onClose,
}: {
  node: Node;
  trace: Trace;
  traceId: string;
  onClose: () => void;
}): ReactNode {
  const { span, gaps } = node;
  const events = eventsOf(span);
  const attributes = attributesOf(span);
  return (
    <Inspector title={visibleText(span.name)} onClose={onClose}>
      {isError(span) && (
        <State kind="stop">
          <span className="whitespace-normal">
            {visibleText(span.status)}
            {typeof span.attributes["status.message"] === "string" &&
              `: ${visibleText(span.attributes["status.message"])}`}
          </span>
        </State>
      )}
      {node.reason === "orphan" && <State kind="warn">Its parent did not arrive</State>}
      {node.reason === "cycle" && <State kind="warn">Its parent is below it</State>}
      <Facts items={factsOf(node, trace)} />
      {gaps.length > 0 && <Gaps node={node} />}
      {events.length > 0 && <Events events={events} startMs={span.startMs} />}
      <section className="flex flex-col gap-1">
        <header className="flex items-center justify-between gap-2">
          <h3>Attributes</h3>
          <CopyButton
            text={JSON.stringify(span.attributes, null, 2)}
            label="Copy as JSON"
            className="h-6 px-2 text-s"
          />
        </header>
        {attributes.length === 0 ? <p className="text-ink-2">None.</p> : <Pairs pairs={attributes} />}
      </section>
      <p className="flex flex-wrap gap-3">
        <PageLink page="explore" search={{ q: `span_id:${span.spanId}`, ...around(trace) }}>
          Logs of this span
        </PageLink>
        <PageLink page="explore" search={{ q: `trace_id:${traceId}`, ...around(trace) }}>
          Logs of the trace
        </PageLink>
      </p>
    </Inspector>
  );
}

const AROUND_MS = 60_000;

function around({ startMs, durationMs }: Trace): { from: string; to: string } {
  return {
    from: new Date(startMs - AROUND_MS).toISOString(),
    to: new Date(startMs + durationMs + AROUND_MS).toISOString(),
  };
}

function factsOf({ span, ownMs, isCritical, below }: Node, trace: Trace): readonly (readonly [string, ReactNode])[] {
  const share = trace.durationMs === 0 ? 0 : (span.durationMs / trace.durationMs) * 100;
  const began = new Date(span.startMs).toISOString();
  return [
    ["Service", visibleText(span.service) || <span className="text-ink-3">unknown</span>],
    ["Kind", visibleText(span.kind) || <span className="text-ink-3">unknown</span>],
    [
      "Started",
      <time key="began" dateTime={began} title={began}>{`after ${durationText(span.startMs - trace.startMs)}`}</time>,
    ],
    ["Lasted", `${durationText(span.durationMs)}, ${share.toFixed(share < 10 ? 1 : 0)} % of the trace`],
    ["Own time", `${durationText(ownMs)}${below > 0 ? ", without a running child" : ""}`],
    ["Critical", isCritical ? "yes: the trace would end earlier without it" : "no"],
    ["Span", <Copyable key="span" text={span.spanId} />],
    [
      "Parent",
      span.parentId === "" ? <span className="text-ink-3">none</span> : <Copyable key="parent" text={span.parentId} />,
    ],
  ];
}

function Gaps({ node: { gaps, span } }: { node: Node }): ReactNode {
  return (
    <section className="flex flex-col gap-1">
      <h3>Gaps</h3>
      <ul className="text-ink-2">
        {gaps.slice(0, 5).map((gap) => (
          <li key={gap.startMs}>
            <span className="mono text-ink">{durationText(gap.durationMs)}</span> without a child span, after{" "}
            {durationText(gap.startMs - span.startMs)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Events({ events, startMs }: { events: readonly SpanEvent[]; startMs: number }): ReactNode {
  return (
    <section className="flex flex-col gap-1.5">
      <h3>Events</h3>
      {events.map((event, place) => (
        <details key={`${event.name} ${place}`} className="rounded border border-line px-2 py-1">
          <summary>
            {visibleText(event.name)}
            {event.atMs !== null && (
              <span className="mono ml-2 text-s text-ink-3">{durationText(Math.max(0, event.atMs - startMs))} in</span>
            )}
          </summary>
          <Pairs pairs={event.attributes} />
        </details>
      ))}
    </section>
  );
}

/** Lists names and values in full, with line breaks, because stack traces have several lines. */
function Pairs({ pairs }: { pairs: readonly (readonly [name: string, value: string])[] }): ReactNode {
  return (
    <dl className="mono grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-x-3">
      {pairs.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="border-t border-line py-1 [overflow-wrap:anywhere] text-ink-3">{visibleText(name)}</dt>
          <dd className="max-h-60 overflow-auto border-t border-line py-1 [overflow-wrap:anywhere] whitespace-pre-wrap">
            {visibleText(value, { lines: true })}
          </dd>
        </div>
      ))}
    </dl>
  );
}
