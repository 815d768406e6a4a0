import type { Scope } from "@mooring/contract";

export interface Template {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** The proposed name. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Null: it does not expire. */
  readonly expiresDays: number | null;
}

/** Common purposes of credentials, with the scopes that they need. */
export const TEMPLATES: readonly Template[] = [
  {
    id: "telemetry",
    title: "Telemetry writer",
    about: "A service or a Collector that sends logs, metrics and traces. It cannot read.",
    name: "telemetry writer",
    scopes: ["telemetry:write"],
    expiresDays: null,
  },
  {
    id: "ci",
    title: "CI pusher",
    about: "A build that pulls and pushes images. It cannot delete them.",
    name: "ci",
    scopes: ["registry:pull", "registry:push"],
    expiresDays: 90,
  },
  {
    id: "backup",
    title: "Backup",
    about: "A job that stores and lists files. It cannot delete them. For S3 tools, create an S3 key.",
    name: "backup",
    scopes: ["files:read", "files:write"],
    expiresDays: 365,
  },
  {
    id: "read",
    title: "Read-only",
    about: "A dashboard or a report that reads telemetry, files, images, apps and webhook events.",
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
