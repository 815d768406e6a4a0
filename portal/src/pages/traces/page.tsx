import type { ReactNode } from "react";
import { useSearchState } from "~/app/search.ts";
import { TraceList } from "./trace-list.tsx";
import type { TracesSearch } from "./trace-search.ts";
import { TraceView } from "./trace-view.tsx";

/** The list of traces, or the trace that the address names. */
export function Page(): ReactNode {
  const [search] = useSearchState<TracesSearch>();
  const trace = search.trace === undefined ? "" : String(search.trace);
  return trace === "" ? <TraceList /> : <TraceView key={trace} traceId={trace} />;
}
