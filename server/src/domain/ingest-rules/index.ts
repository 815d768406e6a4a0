export { RuleCounter } from "./counts.ts";
export {
  createIngestRule,
  deleteIngestRule,
  getIngestRule,
  listIngestRules,
  requireSender,
  ruleVersion,
  updateIngestRule,
  type IngestRulesDeps,
  type RuleAuthor,
  type RuleSettings,
} from "./ingest-rules.ts";
export { actionOf, masksOf, matchOf, typesOf, type MaskName, type Rule, type RuleMatch } from "./model.ts";
export { RuleSets } from "./rule-sets.ts";
export type { IngestRuleRow, RuleCounts } from "./store.ts";
