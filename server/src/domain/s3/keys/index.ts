export { KeyRing } from "./admit.ts";
export {
  createAccessKey,
  getAccessKey,
  listAccessKeys,
  revokeAccessKey,
  type AccessKey,
  type NewAccessKey,
} from "./keys.ts";
