import type { BodyOf, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import type { TypeName } from "./days.ts";
import { MEMBERS, type Condition } from "./erasure.ts";

export type RulesBody = BodyOf<typeof TELEMETRY_SETTINGS_ROUTES.updateRetentionRules>;
type Rule = RulesBody["rules"][number];

/** A rule in the form. */
export interface RuleDraft {
  readonly name: string;
  readonly type: TypeName;
  readonly conditions: readonly Condition[];
  readonly days: string;
}

export const NEW_RULE: RuleDraft = {
  name: "",
  type: "logs",
  conditions: [{ member: "service", key: "", value: "" }],
  days: "30",
};

const DIFFERENT_DAYS_MAX = 4;

/** Returns the members that rules of a type can match. */
export function membersOf(type: TypeName): readonly (typeof MEMBERS)[number][] {
  return MEMBERS.filter(
    ({ name, types }) => name !== "message" && name !== "trace_id" && (types as readonly TypeName[]).includes(type),
  );
}

export function draftsOf(rules: readonly Rule[]): readonly RuleDraft[] {
  return rules.map(({ name, type, match, days }) => ({
    name,
    type,
    days: String(days),
    conditions: MEMBERS.flatMap(({ name: member }) => {
      if (member === "message" || member === "trace_id") return [];
      const value = match[member];
      if (value === undefined) return [];
      if (typeof value === "string") return [{ member, key: "", value }];
      return Object.entries(value).map(([key, text]) => ({ member, key, value: text }));
    }),
  }));
}

export function rulesOf(drafts: readonly RuleDraft[]): Rule[] {
  return drafts.map(({ name, type, conditions, days }) => {
    const match: Record<string, string | Record<string, string>> = {};
    for (const { member, key, value } of conditions)
      if (member === "attributes" || member === "tags")
        match[member] = { ...(match[member] as Record<string, string> | undefined), [key]: value };
      else match[member] = value;
    return { name, type, match, days: Number(days) };
  });
}

/** Returns the error in the rules as a sentence, or null if they are valid. */
export function rulesFault(drafts: readonly RuleDraft[]): string | null {
  for (const { name, type, conditions, days } of drafts) {
    if (name.trim() === "") return "Each rule needs a name.";
    if (!(Number(days) >= 1)) return `The rule ${name} needs a number of days.`;
    const members = membersOf(type).map((member) => member.name);
    if (conditions.some(({ member }) => !members.includes(member)))
      return `A condition of the rule ${name} is not for ${type}.`;
    const hasKey = (of: Condition): boolean => of.member === "attributes" || of.member === "tags";
    if (conditions.some((of) => of.value === "" || (hasKey(of) && of.key === "")))
      return `Each condition of the rule ${name} needs a name and a value.`;
  }
  if (new Set(drafts.map(({ days }) => Number(days))).size > DIFFERENT_DAYS_MAX)
    return `The rules can have at most ${DIFFERENT_DAYS_MAX} different numbers of days.`;
  return null;
}

/** Returns the list with one entry moved up by one place. */
export function movedUp<T>(list: readonly T[], at: number): readonly T[] {
  const [before, moved] = [list[at - 1], list[at]];
  if (before === undefined || moved === undefined) return list;
  return list.map((each, i) => (i === at - 1 ? moved : i === at ? before : each));
}
