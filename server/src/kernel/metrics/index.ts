export { FAMILIES, PARTS } from "./families/index.ts";
export { METHODS, SURFACES } from "./families/http.ts";
export { FATAL_PARTS } from "./families/process.ts";
export { STORES } from "./families/storage.ts";
export type { Alert, Family } from "./family.ts";
export { pageOfAlert, PROBLEM_METRICS, ProblemFinder, type ServerProblem } from "./problems.ts";
export {
  CONTENT_TYPE,
  isListed,
  Metrics,
  type Counter,
  type Histogram,
  type LabelsOf,
  type Sample,
} from "./registry.ts";
