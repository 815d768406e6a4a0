export { AssertionRefusal } from "./assertion.ts";
export { Federation, type Check } from "./federation.ts";
export { RESERVED_CLAIMS } from "./match.ts";
export {
  deleteTrust,
  deleteTrustsOf,
  findTrust,
  insertTrust,
  listTrusts,
  recordTrustUse,
  trustsOf,
  type TrustRow,
} from "./store.ts";
export { patternFault } from "./subject.ts";
export type { Trust } from "./trust.ts";
