export { KeyRing } from "./admit.ts";
export { approveAccessKey, updateAccessKey, type AccessKeyChange } from "./change.ts";
export {
  countAccessKeys,
  createAccessKey,
  type KeyDeps,
  getAccessKey,
  listAccessKeys,
  revokeAccessKey,
  type AccessKey,
  type MadeAccessKey,
  type NewAccessKey,
} from "./keys.ts";
