export { KeyRing } from "./admit.ts";
export {
  countAccessKeys,
  createAccessKey,
  getAccessKey,
  listAccessKeys,
  revokeAccessKey,
  type AccessKey,
  type NewAccessKey,
} from "./keys.ts";
