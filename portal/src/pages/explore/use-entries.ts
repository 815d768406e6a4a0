import type { Client } from "@mooring/client";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { streamQuery } from "~/api/stream.ts";
import type { Bounds } from "~/kit/time-range.ts";
import { EntriesReader, type EntriesState } from "./entries-reader.ts";
import { entriesStatement, type Wanted } from "./log-query.ts";
import { TailReader, type TailState } from "./tail-reader.ts";

/**
 * Reads the entries of a search, page by page with `more`. A new search, or leaving the page, cancels the last query on
 * the server too.
 */
export function useEntries(
  client: Client,
  wanted: Wanted,
  bounds: Bounds,
): EntriesState & { more: () => void; stop: () => void } {
  const reader = useMemo(
    () =>
      new EntriesReader(
        (range, limit, signal) => streamQuery(client, { ...entriesStatement(wanted, limit), ...range }, signal),
        bounds,
      ),
    [client, wanted, bounds],
  );
  useEffect(() => {
    const timer = setTimeout(() => void reader.more());
    return () => {
      clearTimeout(timer);
      reader.release();
    };
  }, [reader]);
  const state = useSyncExternalStore(reader.subscribe, reader.snapshot);
  const acts = useMemo(() => ({ more: () => void reader.more(), stop: () => reader.stop() }), [reader]);
  return { ...state, ...acts };
}

/** Follows the logs. The tail disconnects while the page is hidden, and then continues after the last entry. */
export function useTail(client: Client, wanted: Wanted): TailState & Pick<TailReader, "start" | "pause" | "clear"> {
  const reader = useMemo(() => new TailReader(client, wanted), [client, wanted]);
  useEffect(() => {
    let pausedByHiding = false;
    const onVisibility = (): void => {
      if (document.hidden && reader.snapshot().status !== "paused") {
        pausedByHiding = true;
        reader.pause();
      } else if (!document.hidden && pausedByHiding) {
        pausedByHiding = false;
        reader.start();
      }
    };
    reader.start();
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      reader.pause();
    };
  }, [reader]);
  const state = useSyncExternalStore(reader.subscribe, reader.snapshot);
  return useMemo(
    () => ({
      ...state,
      start: () => reader.start(),
      pause: () => reader.pause(),
      clear: () => reader.clear(),
    }),
    [state, reader],
  );
}
