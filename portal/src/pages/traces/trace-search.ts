import type { TraceFilter } from "./trace-sql.ts";

/** The page's state in its address. */
export type TracesSearch = {
  trace?: string | undefined;
  span?: string | undefined;
  service?: string | undefined;
  name?: string | undefined;
  /** Least duration in milliseconds. */
  least?: number | undefined;
  status?: string | undefined;
  order?: string | undefined;
  range?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

export function filterOf(search: Partial<TracesSearch>, projectId: string | null): TraceFilter {
  const leastMs = Number(search.least ?? 0);
  return {
    service: String(search.service ?? ""),
    name: String(search.name ?? ""),
    leastMs: Number.isFinite(leastMs) && leastMs > 0 ? leastMs : 0,
    errorsOnly: search.status === "error",
    order: search.order === "slowest" ? "slowest" : "newest",
    projectId,
  };
}
