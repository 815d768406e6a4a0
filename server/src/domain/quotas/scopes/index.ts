export { changeQuota, quotaSetting } from "./settings.ts";
export { limitOfShortage, requireScopes, shortageText, type Shortage } from "./scopes.ts";
export { fullestOf, quotaRows, targetOf, usedBy, type TargetScope } from "./store.ts";
