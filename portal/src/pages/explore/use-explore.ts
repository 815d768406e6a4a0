import type { Client } from "@mooring/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { smallQuery } from "~/api/stream.ts";
import { useOrganization, useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { boundsOf, rangeOf, searchOf, type Bounds, type BoundedRange } from "~/kit/time-range.ts";
import { entryKey, justAfter, momentOfKey, type LogEntry } from "./entry.ts";
import { ENTRY_COLUMNS, type Wanted } from "./log-query.ts";
import { parseSearch, withTerm } from "./search-language.ts";

export interface ExploreSearch extends Record<string, string | undefined> {
  q: string | undefined;
  range: string | undefined;
  from: string | undefined;
  to: string | undefined;
  /** Key of the open entry. */
  entry: string | undefined;
  view: string | undefined;
}

export interface Explore {
  readonly client: Client;
  readonly organization: string;
  readonly text: string;
  readonly wanted: Wanted;
  readonly range: BoundedRange;
  readonly bounds: Bounds;
  readonly isTail: boolean;
  readonly openKey: string | undefined;
  /** Starts a search; the same text searches again. */
  readonly run: (text: string) => void;
  readonly setRange: (range: BoundedRange) => void;
  readonly setTail: (on: boolean) => void;
  readonly open: (key: string | undefined) => void;
  readonly addTerm: (term: string) => void;
}

/** Returns the state of the page, which is completely in its address. */
export function useExplore(): Explore {
  const { client, slug } = useOrganization();
  const projectId = useProject()?.id ?? null;
  const [search, change] = useSearchState<ExploreSearch>();
  const text = String(search.q ?? "");
  const { range: rangeText, from, to } = search;
  const range = useMemo(() => rangeOf({ range: rangeText, from, to }), [rangeText, from, to]);
  const [runs, setRuns] = useState(0);
  const wanted = useMemo(() => ({ search: parseSearch(text), projectId }), [text, projectId]);
  // Each search gets new bounds, relative to the current time.
  const bounds = useMemo(() => boundsOf(range, Date.now()), [range, wanted, runs]);
  const run = useCallback(
    (next: string) => {
      setRuns((count) => count + 1);
      change({ q: next === "" ? undefined : next }, { push: next !== text });
    },
    [change, text],
  );
  const setRange = useCallback((next: BoundedRange) => change({ ...searchOf(next) }, { push: true }), [change]);
  const setTail = useCallback((on: boolean) => change({ view: on ? "tail" : undefined, entry: undefined }), [change]);
  const open = useCallback((key: string | undefined) => change({ entry: key }), [change]);
  const addTerm = useCallback((term: string) => run(withTerm(text, term)), [run, text]);
  return {
    client,
    organization: slug,
    text,
    wanted,
    range,
    bounds,
    run,
    setRange,
    setTail,
    open,
    addTerm,
    isTail: search.view === "tail",
    openKey: search.entry,
  };
}

/**
 * Returns a function that opens an entry of a list: it changes the address, and caches the entry, so that no request is
 * needed.
 */
export function useOpenShown({ organization, open, wanted: { projectId } }: Explore): (entry: LogEntry) => void {
  const queries = useQueryClient();
  return useCallback(
    (entry) => {
      const key = entryKey(entry);
      queries.setQueryData(openEntryQuery(organization, projectId, key), entry);
      open(key);
    },
    [queries, organization, projectId, open],
  );
}

/** Returns the entry that the address names. If it was not opened in a list, it is read by its time. */
export function useOpenEntry({ client, organization, openKey, wanted: { projectId } }: Explore): {
  entry: LogEntry | null;
  error: Error | null;
  isAbsent: boolean;
} {
  const moment = openKey === undefined ? null : momentOfKey(openKey);
  const { data, error } = useQuery({
    queryKey: openEntryQuery(organization, projectId, openKey),
    queryFn: async ({ signal }) => {
      if (moment === null) return null;
      const sql = `SELECT ${ENTRY_COLUMNS} FROM logs${projectId === null ? "" : " WHERE project_id = $project"}`;
      const parameters = projectId === null ? {} : { project: projectId };
      const range = { from: moment, to: justAfter(moment), limit: 10_000 };
      const { rows } = await smallQuery(client, { sql, parameters, ...range }, signal);
      return (rows as unknown as LogEntry[]).find((entry) => entryKey(entry) === openKey) ?? null;
    },
    enabled: moment !== null,
    staleTime: Infinity,
  });
  if (openKey === undefined) return { entry: null, error: null, isAbsent: false };
  return { entry: data ?? null, error, isAbsent: moment === null || data === null };
}

const openEntryQuery = (organization: string, projectId: string | null, key: string | undefined) =>
  [organization, "explore", "entry", projectId, key] as const;

/** Reads the time of the newest entry. Null: there is no entry yet. The query is then repeated until there is one. */
export function useNewest(
  { client, organization, wanted }: Explore,
  enabled: boolean,
): { newest: string | null | undefined } {
  const { projectId } = wanted;
  const { data } = useQuery({
    queryKey: [organization, "explore", "newest", projectId],
    queryFn: async ({ signal }) => {
      const sql = `SELECT max(timestamp) AS newest FROM logs${projectId === null ? "" : " WHERE project_id = $project"}`;
      const parameters = projectId === null ? {} : { project: projectId };
      const { rows } = await smallQuery(client, { sql, parameters }, signal);
      return (rows[0]?.["newest"] ?? null) as string | null;
    },
    enabled,
    refetchInterval: ({ state }) => (state.data === null ? 3000 : false),
    gcTime: 0,
  });
  return { newest: data };
}

/** Runs once when the first entry has arrived. */
export function useWhenFirst(newest: string | null | undefined, then: () => void): void {
  const [wasEmpty, setWasEmpty] = useState(false);
  useEffect(() => {
    if (newest === null) setWasEmpty(true);
    if (typeof newest === "string" && wasEmpty) {
      setWasEmpty(false);
      then();
    }
  }, [newest, wasEmpty, then]);
}
