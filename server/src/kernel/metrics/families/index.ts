import { BACKUPS } from "./backups.ts";
import { HTTP } from "./http.ts";
import { PROCESS } from "./process.ts";
import { QUERY } from "./query.ts";
import { STORAGE } from "./storage.ts";
import { TELEMETRY } from "./telemetry.ts";
import { WORK } from "./work.ts";

/** The table of metrics, by part of the server. The order is that of the docs page and of `/metrics`. */
export const PARTS = {
  Process: PROCESS,
  Requests: HTTP,
  Storage: STORAGE,
  Telemetry: TELEMETRY,
  Queries: QUERY,
  Work: WORK,
  Backups: BACKUPS,
} as const;

export const FAMILIES = { ...PROCESS, ...HTTP, ...STORAGE, ...TELEMETRY, ...QUERY, ...WORK, ...BACKUPS } as const;
