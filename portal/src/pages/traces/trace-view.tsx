import { useMemo, useState, type ComponentProps, type ReactNode } from "react";
import { useAbsence } from "~/app/absent.tsx";
import { PageLink } from "~/app/page-link.tsx";
import { useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button, buttonClass } from "~/kit/button.tsx";
import { useSql } from "~/kit/chart-query.ts";
import { textOf, type SqlRow } from "~/kit/chart-rows.ts";
import { withValues } from "~/kit/chart-sql.ts";
import { Copyable } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { countText, durationText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { WithInspector } from "~/kit/inspector.tsx";
import { Loading, Page as Frame } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { SpanInspector } from "./span-inspector.tsx";
import type { TracesSearch } from "./trace-search.ts";
import { spanOf, SPANS_MAX, traceStatement } from "./trace-sql.ts";
import { isError, traceOf, visibleRows, type Node, type Trace } from "./trace-tree.ts";
import { Waterfall } from "./waterfall.tsx";

const NONE: ReadonlySet<string> = new Set();

/** Shows one trace, which is read only by its id. */
export function TraceView({ traceId }: { traceId: string }): ReactNode {
  const [, setSearch] = useSearchState<TracesSearch>();
  const statement = traceStatement(traceId);
  const { data, error } = useSql(statement);
  const trace = useMemo(() => (data === undefined ? undefined : traceOf(data.rows.map(spanOf))), [data]);
  const first = trace?.roots[0];
  const isAbsent = useIsAbsent(data?.rows);
  useAbsence(isAbsent);
  return (
    <Frame
      title={first === undefined ? "Trace" : visibleText(first.span.name)}
      about={trace === undefined || first === undefined ? undefined : <Summary trace={trace} traceId={traceId} />}
      fill
      actions={
        <>
          <Button onClick={() => setSearch({ trace: undefined, span: undefined }, { push: true })}>All traces</Button>
          <PageLink page="explore" search={logsSearch(traceId, trace)} className={buttonClass()}>
            Its logs
          </PageLink>
          <PageLink
            page="sql"
            search={{ sql: withValues(statement.sql, statement.parameters) }}
            className={buttonClass()}
          >
            Open in SQL
          </PageLink>
        </>
      }
    >
      <ErrorNote error={error} />
      {data === undefined && error === null && <Loading what="Reading the trace" />}
      {trace !== undefined && !isAbsent && <Spans key={traceId} trace={trace} traceId={traceId} />}
    </Frame>
  );
}

/** Whether the trace is absent here. A trace with spans of several projects is shown completely in each of them. */
function useIsAbsent(rows: readonly SqlRow[] | undefined): boolean {
  const project = useProject();
  if (rows === undefined) return false;
  return !rows.some((row) => project === null || textOf(row, "project_id") === project.id);
}

const AROUND_MS = 60_000;

/** Returns the search for the trace's logs, in the time of the trace with a minute before and after. */
function logsSearch(traceId: string, trace: Trace | undefined): Record<string, string> {
  if (trace === undefined || trace.spans === 0) return { q: `trace_id:${traceId}` };
  return {
    q: `trace_id:${traceId}`,
    from: new Date(trace.startMs - AROUND_MS).toISOString(),
    to: new Date(trace.startMs + trace.durationMs + AROUND_MS).toISOString(),
  };
}

function Summary({ trace, traceId }: { trace: Trace; traceId: string }): ReactNode {
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <Copyable text={traceId} />
      <span>{durationText(trace.durationMs)}</span>
      <span>
        {plural(trace.spans, "span")} of {plural(trace.services.length, "service")}
      </span>
      {trace.errors > 0 && <State kind="stop">{plural(trace.errors, "error")}</State>}
      {trace.orphans > 0 && (
        <State kind="warn">
          {plural(trace.orphans, "span")} without {trace.orphans === 1 ? "its" : "their"} parent
        </State>
      )}
      {trace.repeated > 0 && <span>{plural(trace.repeated, "span")} arrived twice</span>}
      {trace.spans >= SPANS_MAX && <State kind="warn">the first {countText(SPANS_MAX)} spans</State>}
    </span>
  );
}

function Spans({ trace, traceId }: { trace: Trace; traceId: string }): ReactNode {
  const [search, setSearch] = useSearchState<TracesSearch>();
  const [folded, setFolded] = useState<ReadonlySet<string>>(NONE);
  const all = useMemo(() => visibleRows(trace.roots, NONE), [trace]);
  const rows = useMemo(() => visibleRows(trace.roots, folded), [trace, folded]);
  const open = all.find(({ key }) => key === search.span);
  const show = (key: string | undefined): void => setSearch({ span: key });
  const goTo = (node: Node): void => {
    const above = ancestorsOf(node, all);
    setFolded((before) => new Set([...before].filter((key) => !above.has(key))));
    show(node.key);
  };
  const toNextError = (): void => {
    const from = all.findIndex(({ key }) => key === search.span) + 1;
    const next = [...all.slice(from), ...all.slice(0, from)].find(({ span }) => isError(span));
    if (next !== undefined) goTo(next);
  };
  return (
    <WithInspector
      inspector={
        open !== undefined && (
          <SpanInspector node={open} trace={trace} traceId={traceId} onClose={() => show(undefined)} />
        )
      }
    >
      <div className="mb-2 flex flex-wrap items-center gap-2 text-s text-ink-2">
        <SmallButton disabled={folded.size === 0} onClick={() => setFolded(NONE)}>
          Unfold all
        </SmallButton>
        <SmallButton onClick={() => setFolded(foldable(all))}>Fold all</SmallButton>
        {trace.errors > 0 && <SmallButton onClick={toNextError}>Next error</SmallButton>}
        <Legend />
      </div>
      <Waterfall
        rows={rows}
        trace={trace}
        folded={folded}
        openKey={search.span}
        onOpen={show}
        onFold={(key, isFolded) =>
          setFolded((before) => {
            const after = new Set(before);
            if (isFolded) after.add(key);
            else after.delete(key);
            return after;
          })
        }
      />
    </WithInspector>
  );
}

function SmallButton(props: ComponentProps<typeof Button>): ReactNode {
  return <Button className="h-6 px-2 text-s" {...props} />;
}

function foldable(all: readonly Node[]): ReadonlySet<string> {
  return new Set(all.filter(({ children }) => children.length > 0).map(({ key }) => key));
}

function Legend(): ReactNode {
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <span className="inline-flex items-center gap-1">
        <span aria-hidden="true" className="inline-block h-2 w-5 rounded-[2px] bg-sea" /> critical: the trace would end
        earlier without it
      </span>
      <span className="inline-flex items-center gap-1">
        <span aria-hidden="true" className="inline-block h-2 w-5 rounded-[2px] border border-sea bg-sea-2" /> it did not
      </span>
      <span className="inline-flex items-center gap-1">
        <span aria-hidden="true" className="inline-block h-2 w-5 border-y border-dashed border-sea" /> nothing below ran
      </span>
    </span>
  );
}

/** Returns the ancestors of a row. */
function ancestorsOf(node: Node, all: readonly Node[]): ReadonlySet<string> {
  const keys = new Set<string>();
  let { depth } = node;
  for (let place = all.indexOf(node) - 1; place >= 0 && depth > 0; place--) {
    const above = all[place];
    if (above === undefined || above.depth >= depth) continue;
    keys.add(above.key);
    depth = above.depth;
  }
  return keys;
}
