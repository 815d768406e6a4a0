export { FAMILIES, PARTS } from "./families/index.ts";
export { METHODS, SURFACES } from "./families/http.ts";
export type { Alert, AlertTest, Family, LabelValues } from "./family.ts";
export {
  CONTENT_TYPE,
  isListed,
  Metrics,
  type LabelsOf,
  type MetricName,
  type Reading,
  type Sample,
} from "./registry.ts";
