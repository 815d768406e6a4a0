export { Activity, type CredentialActivity } from "./activity.ts";
export type { CountedRequest } from "./counts.ts";
