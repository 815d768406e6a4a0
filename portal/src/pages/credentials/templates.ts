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
  /** Whether it is limited to resources. */
  readonly isLimited: boolean;
}

/** Common purposes of credentials, with the fewest scopes that they need. Those for certain resources are first. */
export const TEMPLATES: readonly Template[] = [
  {
    id: "agent",
    title: "Agent sends logs",
    about:
      "An agent, a Collector or a service that sends the logs, metrics and traces of its services. It cannot read.",
    name: "agent",
    scopes: ["telemetry:write"],
    expiresDays: null,
    isLimited: true,
  },
  {
    id: "ci-image",
    title: "CI pushes one image",
    about: "A build that pulls and pushes the images of certain repositories. It cannot delete them.",
    name: "ci",
    scopes: ["registry:pull", "registry:push"],
    expiresDays: 90,
    isLimited: true,
  },
  {
    id: "bucket",
    title: "App reads its bucket",
    about: "An app that lists and downloads the objects of its bucket with the API. For S3 clients, create an S3 key.",
    name: "bucket reader",
    scopes: ["s3:read"],
    expiresDays: null,
    isLimited: true,
  },
  {
    id: "dashboard",
    title: "Dashboard reads",
    about: "A dashboard that queries the telemetry of certain services. It reads nothing else.",
    name: "dashboard",
    scopes: ["telemetry:read"],
    expiresDays: 90,
    isLimited: true,
  },
  {
    id: "telemetry",
    title: "Telemetry writer",
    about: "A service or a Collector that sends logs, metrics and traces. It cannot read.",
    name: "telemetry writer",
    scopes: ["telemetry:write"],
    expiresDays: null,
    isLimited: false,
  },
  {
    id: "ci",
    title: "CI pusher",
    about: "A build that pulls and pushes images. It cannot delete them.",
    name: "ci",
    scopes: ["registry:pull", "registry:push"],
    expiresDays: 90,
    isLimited: false,
  },
  {
    id: "backup",
    title: "Backup",
    about: "A job that stores and lists files. It cannot delete them. For S3 tools, create an S3 key.",
    name: "backup",
    scopes: ["files:read", "files:write"],
    expiresDays: 365,
    isLimited: false,
  },
  {
    id: "read",
    title: "Read-only",
    about: "A dashboard or a report that reads telemetry, files, images, apps and webhook events.",
    name: "reader",
    scopes: ["projects:read", "apps:read", "telemetry:read", "files:read", "registry:pull", "webhooks:read"],
    expiresDays: 90,
    isLimited: false,
  },
  {
    id: "files",
    title: "Files",
    about: "An app that stores, serves and deletes files.",
    name: "files",
    scopes: ["files:read", "files:write", "files:delete"],
    expiresDays: null,
    isLimited: false,
  },
  {
    id: "custom",
    title: "Custom",
    about: "You choose each permission.",
    name: "",
    scopes: [],
    expiresDays: 90,
    isLimited: false,
  },
];
