import type { Scope } from "@mooring/contract";
import type { AccessDraft } from "../../access/draft.ts";
import { TEMPLATES } from "./templates.ts";

/** The search parameters that fill in the form. */
export interface PrefillSearch {
  readonly template?: unknown;
  readonly name?: unknown;
  readonly scopes?: unknown;
  readonly for_project?: unknown;
  readonly expires_days?: unknown;
  readonly without_secret?: unknown;
}

export interface Draft extends AccessDraft {
  readonly template: string;
  /** Whether only tokens of trusted issuers can sign in as this credential. */
  readonly withoutSecret: boolean;
}

/**
 * Fills in the form from a link:
 * `?template=ci&scopes=registry:pull,registry:push&for_project=web&expires_days=30&name=deploy`. Unknown scopes are
 * ignored. A link only proposes values.
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

/** Parses a list, or a text with commas or spaces between names. */
function listOf(value: unknown): readonly string[] | null {
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string");
  return typeof value === "string" ? value.split(/[\s,]+/) : null;
}
