import { BACKUPS } from "./backups.ts";
import { HTTP } from "./http.ts";
import { JOBS } from "./jobs.ts";
import { PROCESS } from "./process.ts";
import { QUERY } from "./query.ts";
import { RECORDS } from "./records.ts";
import { SECURITY } from "./security.ts";
import { STORAGE } from "./storage.ts";
import { TELEMETRY } from "./telemetry.ts";
import { WORK } from "./work.ts";

/** The table of metrics, by part of the server. The order is that of the docs page and of `/metrics`. */
export const PARTS = {
  Process: PROCESS,
  Requests: HTTP,
  Records: RECORDS,
  Storage: STORAGE,
  Telemetry: TELEMETRY,
  Queries: QUERY,
  Jobs: JOBS,
  Deletions: WORK,
  Security: SECURITY,
  Backups: BACKUPS,
} as const;

export const FAMILIES = {
  ...PROCESS,
  ...HTTP,
  ...RECORDS,
  ...STORAGE,
  ...TELEMETRY,
  ...QUERY,
  ...JOBS,
  ...WORK,
  ...SECURITY,
  ...BACKUPS,
} as const;
