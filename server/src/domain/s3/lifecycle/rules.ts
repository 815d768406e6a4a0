import type { Cutoff } from "#kernel/deletions.ts";
import type { LifecycleFilter, LifecycleRule, Tags } from "../types/index.ts";

export const DAY_MS = 86_400_000;

/** The facts about an object that rules compare. */
export interface Candidate {
  readonly key: string;
  readonly size: number;
  readonly tags: Tags;
}

export function matchesFilter(filter: LifecycleFilter, { key, size, tags }: Candidate): boolean {
  const { prefix = "", tags: wanted = {}, sizeAbove, sizeBelow } = filter;
  return (
    key.startsWith(prefix) &&
    (sizeAbove === undefined || size > sizeAbove) &&
    (sizeBelow === undefined || size < sizeBelow) &&
    Object.entries(wanted).every(([name, value]) => Object.hasOwn(tags, name) && tags[name] === value)
  );
}

/** Returns the first midnight UTC that is later than `days` days after a time. */
export function dueAfter(timeMs: number, days: number, dayMs: number): number {
  return (Math.floor((timeMs + days * dayMs) / dayMs) + 1) * dayMs;
}

/** Returns the time when a rule deletes an object that was written at `modifiedAtMs`; undefined: never. */
export function expiryBy({ expiration }: LifecycleRule, modifiedAtMs: number, dayMs: number): number | undefined {
  if (expiration?.days !== undefined) return dueAfter(modifiedAtMs, expiration.days, dayMs);
  return expiration?.dateMs;
}

/** Returns the rule that deletes a current version first, for `x-amz-expiration`. */
export function expirationOf(
  rules: readonly LifecycleRule[] | undefined,
  version: Candidate & { readonly modifiedAtMs: number },
): { readonly ruleId: string; readonly atMs: number } | null {
  let first: { ruleId: string; atMs: number } | null = null;
  for (const rule of rules ?? []) {
    const atMs =
      rule.enabled && matchesFilter(rule.filter, version) ? expiryBy(rule, version.modifiedAtMs, DAY_MS) : undefined;
    if (atMs !== undefined && (first === null || atMs < first.atMs)) first = { ruleId: rule.id, atMs };
  }
  return first;
}

/** One of the versions of a key. Lists of them are sorted, the newest first. */
export interface Versioned extends Candidate {
  readonly seq: number;
  readonly versionId: string;
  readonly modifiedAtMs: number;
  readonly isMarker: boolean;
}

/** The current time, and the length of a day. */
export interface Calendar {
  readonly nowMs: Cutoff;
  readonly dayMs: number;
}

/** Returns the versions of a key that a rule deletes for good. */
export function versionsPast(rule: LifecycleRule, versions: readonly Versioned[], calendar: Calendar): Versioned[] {
  return versions.filter((version, i) => {
    const newer = versions[i - 1];
    if (newer === undefined) return versions.length === 1 && isLoneMarkerPast(rule, version, calendar);
    const { noncurrentExpiration: limit } = rule;
    if (limit === undefined || !matchesFilter(rule.filter, version)) return false;
    const kept = limit.newerVersions ?? 0;
    return i > kept && dueAfter(newer.modifiedAtMs, limit.days, calendar.dayMs) <= calendar.nowMs;
  });
}

/** Whether a version is an expired delete marker, and the only version of its key. */
function isLoneMarkerPast(rule: LifecycleRule, version: Versioned, { nowMs, dayMs }: Calendar): boolean {
  if (!version.isMarker || !version.key.startsWith(rule.filter.prefix ?? "")) return false;
  if (rule.expiration?.expiredObjectDeleteMarker === true) return true;
  const atMs = expiryBy(rule, version.modifiedAtMs, dayMs);
  return atMs !== undefined && atMs <= nowMs;
}
