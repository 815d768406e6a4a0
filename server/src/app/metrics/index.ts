export { readBackups } from "./backups.ts";
export { startMeasures } from "./measures.ts";
export { countSignIns } from "./sign-ins.ts";
