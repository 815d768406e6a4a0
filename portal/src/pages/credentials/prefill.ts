import type { Scope } from "@mooring/contract";
import type { AccessDraft } from "../../access/draft.ts";
import { TEMPLATES } from "./templates.ts";

/** The search parameters that fill the form in. */
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
  /** Only tokens of trusted issuers sign in as it. */
  readonly withoutSecret: boolean;
}

/**
 * A form filled in by a link: `?template=ci&scopes=registry:pull,registry:push&for_project=web&expires_days=30&name=deploy`.
 * Unknown scopes are dropped: a link can only propose.
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
