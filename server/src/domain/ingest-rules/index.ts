export type { MaskName, Rule, RuleMatch } from "./model.ts";
export type { RuleCounts } from "./store.ts";
