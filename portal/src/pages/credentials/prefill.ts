import type { Scope } from "@mooring/contract";
import { TEMPLATES } from "./templates.ts";

/** What the part of the address after `?` may say about a credential to be made. */
export interface PrefillSearch {
  readonly template?: unknown;
  readonly name?: unknown;
  readonly scopes?: unknown;
  readonly for_project?: unknown;
  readonly expires_days?: unknown;
  readonly without_secret?: unknown;
}

export interface Draft {
  readonly template: string;
  readonly name: string;
  readonly requested: readonly Scope[];
  /** Slug; null: the whole organization. */
  readonly project: string | null;
  readonly expiresDays: number | null;
  /** From where it may be used, as typed; empty: from anywhere. */
  readonly addresses: string;
  /** Only tokens of issuers that it trusts sign in as it. */
  readonly withoutSecret: boolean;
}

/**
 * A form as a link fills it in: `?template=ci&scopes=registry:pull,registry:push&for_project=web&expires_days=30&name=deploy`.
 * Names that are none are dropped: a link can only propose.
 */
export function draftOf(search: PrefillSearch, allScopes: readonly Scope[], project: string | null): Draft {
  const named = TEMPLATES.find(({ id }) => id === search.template);
  const template = named ?? TEMPLATES.find(({ id }) => id === (search.scopes === undefined ? "telemetry" : "custom"));
  const asked = listOf(search.scopes);
  const requested = asked === null ? (template?.scopes ?? []) : allScopes.filter((scope) => asked.includes(scope));
  const days = Number(search.expires_days);
  return {
    template: template?.id ?? "custom",
    name: textOf(search.name) ?? template?.name ?? "",
    requested,
    project: textOf(search.for_project) ?? project,
    expiresDays:
      search.expires_days === "never"
        ? null
        : Number.isInteger(days) && days > 0 && days <= 3650
          ? days
          : (template?.expiresDays ?? null),
    addresses: "",
    withoutSecret: search.without_secret === true,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, 100) : null;
}

/** Names between commas or spaces, or a list. */
function listOf(value: unknown): readonly string[] | null {
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string");
  return typeof value === "string" ? value.split(/[\s,]+/) : null;
}

export interface ExpiryChoice {
  /** Null: it does not expire. */
  readonly days: number | null;
  readonly title: string;
}

/** What a new credential's life may be: presets up to what the policy allows, and that itself. */
export function expiryChoices(
  maxDays: number | null,
  wanted: number | null,
  requireExpiry = false,
): readonly ExpiryChoice[] {
  const days = [7, 30, 90, 365, maxDays, wanted].filter((one) => one !== null);
  const fitting = [...new Set(days)].filter((one) => maxDays === null || one <= maxDays).toSorted((a, b) => a - b);
  return [
    ...fitting.map((one) => ({
      days: one,
      title: `${daysText(one)}${one === maxDays ? ", the most that the policy allows" : ""}`,
    })),
    ...(maxDays === null && !requireExpiry ? [{ days: null, title: "Does not expire" }] : []),
  ];
}

function daysText(days: number): string {
  if (days === 365) return "1 year";
  return days === 1 ? "1 day" : `${days} days`;
}

const REQUIRED_DAYS = 90;

/** The nearest that the policy allows to what is wanted; where it asks for an end and none is wanted, 90 days. */
export function allowedDays(wanted: number | null, maxDays: number | null, requireExpiry = false): number | null {
  if (maxDays === null) return wanted ?? (requireExpiry ? REQUIRED_DAYS : null);
  return wanted === null ? maxDays : Math.min(wanted, maxDays);
}

const DAY_MS = 86_400_000;

/** When so many days are over; null: never. The most that the policy allows is left to the server, whose clock counts. */
export function expiresAt(days: number | null, maxDays: number | null, nowMs: number): string | null {
  return days === null || days === maxDays ? null : new Date(nowMs + days * DAY_MS).toISOString();
}
