import { dayOf, type ParquetFile } from "../parquet-file.ts";
import type { MergeSettings } from "../settings.ts";

/** The properties of a file that decide about merges. */
export type PlannedFile = Pick<ParquetFile, "rows" | "bytes" | "minUs" | "maxUs" | "createdAt">;

/** Files of one day (or of a month or year, where files span more) that become one. */
export interface Merge<File extends PlannedFile = ParquetFile> {
  /** `2026-11-20`, `2026-11`, `2026`, or empty. */
  readonly period: string;
  readonly inputs: readonly File[];
}

const US_PER_MS = 1000;

/**
 * When a day is over and gets no more files, the largest file of a merge has at most this many times the rows of all
 * others.
 */
const OVER_RATIO = 2;
const QUIET_RATIO = 64;

/**
 * Plans the merges that a table needs now, at most one for each period, the latest period first.
 *
 * While a day lasts, or still gets files, its files are merged in tiers: `fanIn` files of `fanIn ** n` to `fanIn ** (n
 * + 1)` rows become one of the next tier. So a row is written once for each tier. After that the small files of the day
 * become one. Late rows must not cause the whole day to be written again each time, so a file takes part only when the
 * others together are not much smaller.
 */
export function planMerges<File extends PlannedFile>(
  files: readonly File[],
  nowMs: number,
  settings: MergeSettings,
): Merge<File>[] {
  const small = files.filter(({ bytes }) => bytes < settings.smallBytes);
  const periods = [...Map.groupBy(small, periodOf)].filter(([, group]) => group.length > 1);
  return periods
    .toSorted(([a], [b]) => (a < b ? 1 : -1))
    .map(([period, group]) => ({ period, inputs: pick(period, group, nowMs, settings) }))
    .filter(({ inputs }) => inputs.length > 1);
}

function pick<File extends PlannedFile>(
  period: string,
  group: readonly File[],
  nowMs: number,
  settings: MergeSettings,
): File[] {
  const lasts = period !== "" && period >= dayOf((nowMs - settings.graceMs) * US_PER_MS).slice(0, period.length);
  const newest = Math.max(...group.map(({ createdAt }) => createdAt));
  // Old rows that are sent now belong to days that are over. As long as files arrive, they are merged in tiers as well.
  if (lasts || nowMs - newest < settings.graceMs) return pickTier(group, settings);
  const ratio = nowMs - newest >= settings.quietMs ? QUIET_RATIO : OVER_RATIO;
  return pickSmallest(group, ratio, settings);
}

/**
 * Returns the lowest full tier, with its files in the order of time, so that the merged file overlaps little with
 * others.
 */
function pickTier<File extends PlannedFile>(group: readonly File[], settings: MergeSettings): File[] {
  const tiers = Map.groupBy(group, ({ rows }) => tierOf(rows, settings.fanIn));
  const [lowest] = [...tiers].filter(([, files]) => files.length >= settings.fanIn).toSorted(([a], [b]) => a - b);
  return lowest === undefined
    ? []
    : within(
        lowest[1].toSorted((a, b) => a.minUs - b.minUs),
        settings,
      );
}

/** Uses integers, because the logarithm of an exact power may be slightly too small. */
function tierOf(rows: number, fanIn: number): number {
  let tier = 0;
  for (let limit = fanIn; rows >= limit; limit *= fanIn) tier += 1;
  return tier;
}

function pickSmallest<File extends PlannedFile>(
  group: readonly File[],
  ratio: number,
  settings: MergeSettings,
): File[] {
  const ascending = within(
    group.toSorted((a, b) => a.rows - b.rows),
    settings,
  );
  let taken = 0;
  let rows = 0;
  for (const [index, file] of ascending.entries()) {
    if (index > 0 && file.rows <= ratio * rows) taken = index + 1;
    rows += file.rows;
  }
  return ascending.slice(0, taken);
}

/** Returns as many files as one merge may take. */
function within<File extends PlannedFile>(files: readonly File[], { targetBytes, inputsMax }: MergeSettings): File[] {
  const taken: File[] = [];
  let bytes = 0;
  for (const file of files) {
    if (bytes >= targetBytes || taken.length === inputsMax) break;
    taken.push(file);
    bytes += file.bytes;
  }
  return taken;
}

function periodOf({ minUs, maxUs }: PlannedFile): string {
  const [first, last] = [dayOf(minUs), dayOf(maxUs)];
  for (const length of [10, 7, 4]) if (first.slice(0, length) === last.slice(0, length)) return first.slice(0, length);
  return "";
}
