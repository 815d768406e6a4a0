import type { Scope } from "@mooring/contract";
import type { ResourceTexts } from "./resources.ts";

/** The form for a new item of any kind. */
export interface AccessDraft {
  readonly name: string;
  /** Slug; null: the whole organization. */
  readonly project: string | null;
  readonly requested: readonly Scope[];
  /** Null: it does not expire. */
  readonly expiresDays: number | null;
  /** The text of the allowed addresses; empty: from anywhere. */
  readonly addresses: string;
  /** The only resources that it may reach; null: no limit. */
  readonly resources: ResourceTexts | null;
}

export interface ExpiryChoice {
  /** Null: it does not expire. */
  readonly days: number | null;
  readonly title: string;
}

/** Returns the lifetimes to choose from: presets up to the policy's limit, and the limit itself. */
export function expiryChoices(
  maxDays: number | null,
  wanted: number | null,
  requireExpiry = false,
): readonly ExpiryChoice[] {
  const days = [1, 7, 30, 90, 365, maxDays, wanted].filter((one) => one !== null);
  const allowed = [...new Set(days)].filter((one) => maxDays === null || one <= maxDays).toSorted((a, b) => a - b);
  return [
    ...allowed.map((one) => ({
      days: one,
      title: `${daysText(one)}${one === maxDays ? ", the limit of the policy" : ""}`,
    })),
    ...(maxDays === null && !requireExpiry ? [{ days: null, title: "Does not expire" }] : []),
  ];
}

function daysText(days: number): string {
  if (days === 365) return "1 year";
  return days === 1 ? "1 day" : `${days} days`;
}

const REQUIRED_DAYS = 90;

/** Limits a lifetime to the policy. The default is 90 days if the policy requires an expiry. */
export function allowedDays(wanted: number | null, maxDays: number | null, requireExpiry = false): number | null {
  if (maxDays === null) return wanted ?? (requireExpiry ? REQUIRED_DAYS : null);
  return wanted === null ? maxDays : Math.min(wanted, maxDays);
}

const DAY_MS = 86_400_000;

/** Returns the time of expiry. Null: never, or at the policy's limit, which the server computes with its own clock. */
export function expiresAt(days: number | null, maxDays: number | null, nowMs: number): string | null {
  return days === null || days === maxDays ? null : new Date(nowMs + days * DAY_MS).toISOString();
}
