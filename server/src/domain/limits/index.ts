export { enforceRecordLimit } from "./enforce.ts";
