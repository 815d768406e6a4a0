import type { Client } from "@mooring/client";
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useSession } from "~/api/session.ts";
import { streamQuery, type QueryRequest } from "~/api/stream.ts";
import { useOrganization } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { anyRangeOf, boundsOf, searchOf, type TimeRange } from "~/kit/time-range.ts";
import { readHistory, withRun, withStar, writeHistory, type PastRun } from "./history.ts";
import { parametersOf, readTexts, type ParameterTexts } from "./parameters.ts";
import { searchOfStatement, statementOf } from "./permalink.ts";
import { RunReader, type RunState } from "./run-reader.ts";

export interface SqlSearch extends Record<string, string | undefined> {
  sql: string | undefined;
  z: string | undefined;
  /** Values of parameters, as JSON. */
  p: string | undefined;
  range: string | undefined;
  from: string | undefined;
  to: string | undefined;
  /** Id of the open saved query. */
  saved: string | undefined;
  panel: string | undefined;
  view: string | undefined;
  limit: string | undefined;
}

/** The most rows that the page loads; an export has all. */
export const LIMITS = ["1000", "10000", "100000", "1000000"] as const;
const LIMIT = "10000";

export interface SqlPage {
  readonly client: Client;
  readonly organization: string;
  readonly search: Partial<SqlSearch>;
  readonly change: (part: Partial<SqlSearch>, options?: { push?: boolean }) => void;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly texts: ParameterTexts;
  readonly range: TimeRange;
  readonly setRange: (range: TimeRange) => void;
  readonly limit: string;
  readonly result: RunState;
  /** Returns the request for a statement. */
  readonly requestOf: (sql: string) => QueryRequest;
  readonly run: (sql: string) => void;
  /** Shows a statement in the editor, and runs it. */
  readonly show: (sql: string, part?: Partial<SqlSearch>) => void;
  readonly cancel: () => void;
  readonly history: readonly PastRun[];
  readonly star: (sql: string) => void;
}

/** Returns the state of the page. The last run statement is in the address. */
export function useSql(): SqlPage {
  const { client, slug } = useOrganization();
  const [search, change] = useSearchState<SqlSearch>();
  const [text, setText] = useState("");
  const { range: rangeText, from, to } = search;
  const range = useMemo(() => anyRangeOf({ range: rangeText, from, to }, Date.now()), [rangeText, from, to]);
  const texts = useMemo(() => readTexts(search.p), [search.p]);
  const limit = LIMITS.find((known) => known === String(search.limit)) ?? LIMIT;
  const { reader, result } = useReader();
  const { history, record, star } = useHistory(`${useSession().user.id}.${slug}`);

  const requestOf = useCallback(
    (sql: string): QueryRequest => {
      const parameters = parametersOf(sql, texts);
      return {
        sql,
        ...(parameters === undefined ? {} : { parameters }),
        ...(range.kind === "all" ? {} : boundsOf(range, Date.now())),
      };
    },
    [texts, range],
  );
  const latest = useRef({ requestOf, limit });
  latest.current = { requestOf, limit };
  const start = useStart(client, { reader, record, latest });
  const run = useCallback(
    (sql: string) => {
      void start(sql);
      void searchOfStatement(text).then((part) => change({ ...part }, { push: true }));
    },
    [start, change, text],
  );
  const show = useCallback(
    (sql: string, part: Partial<SqlSearch> = {}) => {
      setText(sql);
      void searchOfStatement(sql).then((statement) =>
        change({ saved: undefined, p: undefined, ...statement, ...part }, { push: true }),
      );
      // Waits until the parameters of the address are in the state.
      setTimeout(() => void start(sql), 50);
    },
    [start, change],
  );
  useStatementOfAddress(search, { text, setText, start });
  return {
    client,
    organization: slug,
    search,
    change,
    text,
    setText,
    texts,
    range,
    limit,
    result,
    requestOf,
    run,
    show,
    history,
    star,
    setRange: useCallback((next: TimeRange) => change({ ...searchOf(next) }), [change]),
    cancel: useCallback(() => reader.cancel(), [reader]),
  };
}

interface StartParts {
  readonly reader: RunReader;
  readonly record: (run: Omit<PastRun, "starred">) => void;
  readonly latest: { readonly current: { readonly requestOf: SqlPage["requestOf"]; readonly limit: string } };
}

/**
 * Returns a function that runs a statement with the current state of the page, and adds it to the history unless it was
 * cancelled.
 */
function useStart(client: Client, { reader, record, latest }: StartParts): (sql: string) => Promise<void> {
  return useCallback(
    async (sql: string) => {
      if (sql.trim() === "") return;
      const body = { ...latest.current.requestOf(sql), limit: Number(latest.current.limit) };
      const at = new Date().toISOString();
      const { status, end, tookMs } = await reader.run(sql, (signal) => streamQuery(client, body, signal));
      if (status !== "cancelled") record({ sql, at, rows: end?.row_count ?? null, elapsedMs: tookMs });
    },
    [client, reader, record, latest],
  );
}

function useReader(): { reader: RunReader; result: RunState } {
  const [reader] = useState(() => new RunReader());
  useEffect(() => () => reader.cancel(), [reader]);
  return { reader, result: useSyncExternalStore(reader.subscribe, reader.snapshot) };
}

/** Shows and runs the statement of a new address once, also after the browser's back button. */
function useStatementOfAddress(
  search: Partial<SqlSearch>,
  { text, setText, start }: { text: string; setText: (text: string) => void; start: (sql: string) => Promise<void> },
): void {
  const shown = useRef<string | null>(null);
  const latest = useRef(text);
  latest.current = text;
  const { sql, z } = search;
  useEffect(() => {
    let isOver = false;
    void statementOf({
      ...(sql === undefined ? {} : { sql: String(sql) }),
      ...(z === undefined ? {} : { z: String(z) }),
    }).then((statement) => {
      if (isOver) return;
      const isFirst = shown.current === null;
      const isNew = statement !== shown.current && statement !== latest.current;
      shown.current = statement;
      if (!isNew || statement === "") return;
      setText(statement);
      if (isFirst) void start(statement);
    });
    return () => {
      isOver = true;
    };
  }, [sql, z, setText, start]);
}

function useHistory(whose: string): {
  history: readonly PastRun[];
  record: (run: Omit<PastRun, "starred">) => void;
  star: (sql: string) => void;
} {
  const [history, setHistory] = useState(() => readHistory(localStorage, whose));
  const update = useCallback(
    (next: (runs: PastRun[]) => PastRun[]) => {
      const runs = next(readHistory(localStorage, whose));
      writeHistory(localStorage, whose, runs);
      setHistory(runs);
    },
    [whose],
  );
  return {
    history,
    record: useCallback((run) => update((runs) => withRun(runs, run)), [update]),
    star: useCallback((sql) => update((runs) => withStar(runs, sql)), [update]),
  };
}
