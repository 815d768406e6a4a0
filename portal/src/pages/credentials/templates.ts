import type { Scope } from "@mooring/contract";

export interface Template {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** Proposed for its name. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Null: it does not expire. */
  readonly expiresDays: number | null;
}

/** The usual purposes of credentials, each with the scopes that it needs. */
export const TEMPLATES: readonly Template[] = [
  {
    id: "telemetry",
    title: "Telemetry writer",
    about: "A service or a Collector that sends logs, metrics and traces, and can read nothing.",
    name: "telemetry writer",
    scopes: ["telemetry:write"],
    expiresDays: null,
  },
  {
    id: "ci",
    title: "CI pusher",
    about: "A build that pulls and pushes images, and deletes none.",
    name: "ci",
    scopes: ["registry:pull", "registry:push"],
    expiresDays: 90,
  },
  {
    id: "backup",
    title: "Backup",
    about: "A job that stores and lists files, and can delete none. For S3 tools, create an S3 key.",
    name: "backup",
    scopes: ["files:read", "files:write"],
    expiresDays: 365,
  },
  {
    id: "read",
    title: "Read-only",
    about: "A dashboard or a report: reads telemetry, files, images, apps and webhooks' events.",
    name: "reader",
    scopes: ["projects:read", "apps:read", "telemetry:read", "files:read", "registry:pull", "webhooks:read"],
    expiresDays: 90,
  },
  {
    id: "files",
    title: "Files",
    about: "An app that stores, serves and deletes files.",
    name: "files",
    scopes: ["files:read", "files:write", "files:delete"],
    expiresDays: null,
  },
  { id: "custom", title: "Custom", about: "You choose each permission.", name: "", scopes: [], expiresDays: 90 },
];
