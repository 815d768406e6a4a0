export { KeyRing } from "./admit.ts";
