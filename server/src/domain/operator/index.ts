export { authenticateOperator } from "./authenticate.ts";
export type { OperatorCaller, OperatorDeps, PropagatingDeps } from "./caller.ts";
export { giveOperatorRole, listOperators, personNamed, takeOperatorRole } from "./operators.ts";
export { organizationNamed } from "./organizations.ts";
export { readQuotas, setQuotas, type Quotas } from "./quotas.ts";
export { renameOrganization } from "./rename.ts";
export type { Operator, OperatorToken } from "./store.ts";
export { setOrganizationState, type StateChange } from "./suspend.ts";
export { createOperatorToken, creatorOf, listOperatorTokens, revokeOperatorToken } from "./tokens.ts";
