import type { Client } from "@mooring/client";
import { useQuery, type QueryKey } from "@tanstack/react-query";
import { keepSameRows } from "~/api/previous-rows.ts";
import { smallQuery, type QueryStatistics } from "~/api/stream.ts";
import { stepMs, stepsOf } from "~/kit/chart/time-steps.ts";
import type { Bounds } from "~/kit/time-range.ts";
import { histogramOf, type Histogram } from "./histogram-data.ts";
import { facetsStatement, histogramStatement, type Wanted } from "./log-query.ts";

const BARS_MAX = 100;

export interface Facets {
  readonly levels: ReadonlyMap<string, number>;
  /** Null: the entries without a service. */
  readonly services: readonly (readonly [name: string | null, count: number])[];
  /** Entries in the range, without the search. */
  readonly all: number;
}

export interface Figures {
  readonly histogram: Histogram | null;
  readonly facets: Facets | null;
  readonly statistics: readonly QueryStatistics[];
  readonly isPending: boolean;
  readonly error: Error | null;
}

interface Asked {
  client: Client;
  organization: string;
  wanted: Wanted;
  bounds: Bounds;
  enabled: boolean;
}

/** Counts entries by time, level and service. A new search cancels the queries of the previous one. */
export function useFigures({ client, organization, wanted, bounds, enabled }: Asked): Figures {
  const step = stepMs(Date.parse(bounds.from), Date.parse(bounds.to), BARS_MAX);
  const key = [organization, "explore", wanted, { bounds }];
  const keep = <T>(previous: T | undefined, query: { queryKey: QueryKey } | undefined, of: string): T | undefined =>
    keepSameRows(previous, query, [...key, of]);
  const histogram = useQuery({
    queryKey: [...key, "histogram"],
    queryFn: async ({ signal }) => {
      const { rows, end } = await smallQuery(client, { ...histogramStatement(wanted, step), ...bounds }, signal);
      const steps = stepsOf(Date.parse(bounds.from), Date.parse(bounds.to), step);
      return { histogram: histogramOf(rows as never, steps), statistics: end.statistics };
    },
    enabled,
    retry: false,
    staleTime: Infinity,
    gcTime: 10_000,
    placeholderData: (previous, query) => keep(previous, query, "histogram"),
  });
  const facets = useQuery({
    queryKey: [...key, "facets"],
    queryFn: async ({ signal }) => {
      const { rows, end } = await smallQuery(client, { ...facetsStatement(wanted), ...bounds }, signal);
      return { facets: facetsOf(rows as never), statistics: end.statistics };
    },
    enabled,
    retry: false,
    staleTime: Infinity,
    gcTime: 10_000,
    placeholderData: (previous, query) => keep(previous, query, "facets"),
  });
  return {
    histogram: histogram.data?.histogram ?? null,
    facets: facets.data?.facets ?? null,
    statistics: [histogram.data, facets.data].flatMap((data) => (data === undefined ? [] : [data.statistics])),
    isPending: histogram.isFetching || facets.isFetching,
    error: histogram.error ?? facets.error,
  };
}

interface FacetRow {
  readonly facet: "level" | "service" | "all";
  readonly value: string | null;
  readonly n: number | string;
}

function facetsOf(rows: readonly FacetRow[]): Facets {
  const of = (facet: string): FacetRow[] => rows.filter((row) => row.facet === facet);
  return {
    levels: new Map(of("level").map(({ value, n }) => [value ?? "other", Number(n)])),
    services: of("service")
      .map(({ value, n }) => [value, Number(n)] as const)
      .toSorted(([, a], [, b]) => b - a),
    all: Number(of("all")[0]?.n ?? 0),
  };
}
