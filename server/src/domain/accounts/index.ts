export { changeAddress, setAddress } from "./address.ts";
export { auditPerson } from "./audit.ts";
export { NOWHERE, type AccountsDeps } from "./deps.ts";
export { endOpenLinks } from "./end-links.ts";
export { endSessionsOf, type EndedSessions } from "./end-sessions.ts";
export { proveAddress, type Ended } from "./first-proof.ts";
export {
  accountLinkOf,
  createMailedLink,
  createOperatorLink,
  openAccountLink,
  resetUrl,
  useAccountLink,
  type MadeLink,
} from "./links.ts";
export { closeSetUp, hasOperator } from "./operator.ts";
export { countUnverified, listAccounts, type Account, type AccountPage } from "./overview/store.ts";
export { organizationIdsOf, otherAdmins, personByEmail, personById, setAccount } from "./store.ts";
