import type { BodyOf, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { TYPES, type TypeName } from "./days.ts";

type NewRule = BodyOf<typeof TELEMETRY_SETTINGS_ROUTES.createIngestRule>;
type PreviewBody = BodyOf<typeof TELEMETRY_SETTINGS_ROUTES.previewIngestRule>;
export type Action = NewRule["action"];
type Mask = NonNullable<NewRule["masks"]>[number];
type Match = NonNullable<NewRule["match"]>;

export const ACTIONS: readonly (readonly [Action, string])[] = [
  ["drop", "Drop: they are not stored"],
  ["sample", "Sample: some of them are stored"],
  ["mask", "Mask: they are stored without secrets"],
];
export const MASKS: readonly (readonly [Mask, string])[] = [
  ["card", "numbers of payment cards"],
  ["token", "tokens and keys"],
  ["email", "e-mail addresses"],
];

export interface Draft {
  readonly name: string;
  /** An id; empty: all. The key, too. */
  readonly project: string;
  readonly key: string;
  readonly types: readonly TypeName[];
  readonly service: string;
  readonly level: string;
  readonly member: string;
  readonly contains: string;
  readonly attribute: string;
  readonly value: string;
  readonly action: Action;
  readonly keepOneOf: string;
  readonly masks: readonly Mask[];
}

export const EMPTY: Draft = {
  name: "",
  project: "",
  key: "",
  types: ["logs"],
  service: "",
  level: "",
  member: "",
  contains: "",
  attribute: "",
  value: "",
  action: "drop",
  keepOneOf: "10",
  masks: ["card", "token", "email"],
};

/** Returns the types whose rows have all members of the draft. */
export function possibleTypes({ level, member, contains }: Draft): readonly TypeName[] {
  return TYPES.filter((type) => {
    if (type !== "logs" && (level !== "" || contains !== "")) return false;
    return type !== "logs" || member === "";
  });
}

/** Returns the error in a draft as a sentence, or null if it is valid. */
export function faultOf(draft: Draft): string | null {
  const { name, types, attribute, value, action, keepOneOf, masks } = draft;
  if (name.trim() === "") return "The rule needs a name.";
  if (types.length === 0) return "Choose a type.";
  const possible = possibleTypes(draft);
  const odd = types.find((type) => !possible.includes(type));
  if (odd !== undefined) return `${odd} do not have all of these members.`;
  if (attribute === "" && value !== "") return "An attribute needs its name.";
  if (action === "sample" && !/^[1-9]\d{0,5}$/.test(keepOneOf)) return "Keep one of 2 to 999999 rows.";
  if (action === "sample" && Number(keepOneOf) < 2) return "Keep one of 2 to 999999 rows.";
  return action === "mask" && masks.length === 0 ? "Choose a mask." : null;
}

function matchOf({ service, level, member, contains, attribute, value }: Draft): Match {
  return {
    ...(service === "" ? {} : { service }),
    ...(level === "" ? {} : { level }),
    ...(member === "" ? {} : { name: member }),
    ...(contains === "" ? {} : { message_contains: contains }),
    ...(attribute === "" ? {} : { attributes: { [attribute]: value } }),
  };
}

function effectOf({ action, keepOneOf, masks }: Draft): Pick<NewRule, "action" | "keep_one_of" | "masks"> {
  return {
    action,
    ...(action === "sample" ? { keep_one_of: Number(keepOneOf) } : {}),
    ...(action === "mask" ? { masks: [...masks] } : {}),
  };
}

function projectIn({ project }: Draft): Pick<NewRule, "project"> {
  return project === "" ? {} : { project };
}

/** Returns the body for the API. */
export function bodyOf(draft: Draft): NewRule {
  const { name, types, key } = draft;
  return {
    name: name.trim(),
    types: [...types],
    match: matchOf(draft),
    ...projectIn(draft),
    ...(key === "" ? {} : { key_id: key }),
    ...effectOf(draft),
  };
}

/** Stored rows have no key, so the preview includes the rows of every sender. */
export function previewOf(draft: Draft, type: TypeName): PreviewBody {
  return { type, match: matchOf(draft), ...projectIn(draft), ...effectOf(draft) };
}
