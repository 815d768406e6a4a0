export { KeyRing } from "./admit.ts";
export { KEY_SCOPES, resourceOf } from "./bounds.ts";
export {
  createAccessKey,
  getAccessKey,
  listAccessKeys,
  revokeAccessKey,
  type AccessKey,
  type NewAccessKey,
} from "./keys.ts";
