export { Presence, TELEMETRY_LIVE_MS } from "./presence.ts";
export { giveUp, telemetryDirectories, type TelemetryDirectory } from "./store.ts";
