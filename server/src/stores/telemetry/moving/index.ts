export { arrivingTelemetry, type ArrivedTelemetry, type ArrivingFile } from "./arrive.ts";
export { leavingTelemetry, readMoved, type LeavingTelemetry } from "./leave.ts";
export type { MovedFile, MovedRow } from "./types.ts";
