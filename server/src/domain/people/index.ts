export { auditPerson } from "./audit.ts";
export type { Origin, PeopleDeps } from "./deps.ts";
export { securityOf, type Security } from "./factors/factors.ts";
export { createPeople, sessionsOf } from "./people.ts";
export {
  beginSession,
  endOf,
  endOtherSessions,
  endSession,
  listSessions,
  sessionOfSecret,
  type Session,
} from "./sessions/sessions.ts";
export { createSessionToken, withPeople } from "./sessions/tokens.ts";
export { signInWithPassword, type SignInStep } from "./sign-in/password.ts";
export { membershipsOf, personById, type Membership } from "./store.ts";
