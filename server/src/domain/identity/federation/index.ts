export {
  AssertionRefusal,
  ASSERTION_CHARS_MAX,
  checkLifetime,
  parseAssertion,
  type Assertion,
  type AssertionForm,
} from "./assertion.ts";
export { Federation, type Check, type CheckName, type FederationDeps, type Trust } from "./federation.ts";
export { RESERVED_CLAIMS } from "./fit.ts";
export {
  countTrusts,
  deleteTrust,
  findTrust,
  insertTrust,
  listTrusts,
  recordTrustUse,
  trustsOf,
  type TrustFilter,
  type TrustRow,
} from "./store.ts";
export { patternFault, SUBJECT_CHARS_MAX } from "./subject.ts";
