import { RESOURCE_KINDS, type Scope } from "@mooring/contract";
import type { AccessDraft } from "../../access/draft.ts";
import { NO_TEXTS, type ResourceTexts } from "../../access/resources.ts";
import { TEMPLATES } from "./templates.ts";

/** The search parameters that fill in the form. */
export interface PrefillSearch {
  readonly template?: unknown;
  readonly name?: unknown;
  readonly scopes?: unknown;
  readonly for_project?: unknown;
  readonly expires_days?: unknown;
  readonly without_secret?: unknown;
  readonly repositories?: unknown;
  readonly buckets?: unknown;
  readonly webhooks?: unknown;
  readonly services?: unknown;
}

const LINES_CHARS_MAX = 10_000;

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
  const template = named ?? TEMPLATES.find(({ id }) => id === (search.scopes === undefined ? "agent" : "custom"));
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
    resources: resourcesOf(search) ?? (template?.isLimited === true ? NO_TEXTS : null),
    withoutSecret: search.without_secret === true,
  };
}

/** Returns the texts of the fields for resources. Null: the link names none. */
function resourcesOf(search: PrefillSearch): ResourceTexts | null {
  const texts = RESOURCE_KINDS.map((kind) => [kind, linesOf(search[kind])] as const);
  return texts.every(([, text]) => text === null)
    ? null
    : { ...NO_TEXTS, ...Object.fromEntries(texts.filter(([, text]) => text !== null)) };
}

/** Returns one name a line. The router parses a name of digits as a number, and a JSON list as a list. */
function linesOf(value: unknown): string | null {
  const names = Array.isArray(value) ? value : [value];
  const texts = names.filter((name) => typeof name === "string" || typeof name === "number").map(String);
  return texts.length === 0 ? null : texts.join("\n").slice(0, LINES_CHARS_MAX);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, 100) : null;
}

/** Parses a list, or a text with commas or spaces between names. */
function listOf(value: unknown): readonly string[] | null {
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string");
  return typeof value === "string" ? value.split(/[\s,]+/) : null;
}
