export { auditPerson } from "./audit.ts";
export { endOpenLinks } from "./end-links.ts";
export { proveAddress, type Ended } from "./first-proof.ts";
export { hasOperator } from "./operator.ts";
export { organizationIdsOf, personByEmail, personById } from "./store.ts";
