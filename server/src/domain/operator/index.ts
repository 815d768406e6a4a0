export { type OperatorCaller, type OperatorDeps, type PropagatingDeps } from "./caller.ts";
export { setOrganizationState, type StateChange } from "./suspend.ts";
