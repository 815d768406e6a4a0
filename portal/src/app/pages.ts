import type { Scope } from "@mooring/contract";
import type { ComponentType } from "react";
import type { Topic } from "./topic.ts";

export interface PageEntry {
  /** Also its path below `/o/$org/$project/`; home is empty. */
  readonly path: string;
  readonly title: string;
  readonly group: "Project" | "Access" | "Organization";
  /** The second key of the shortcut, for example `e` of `g e`. */
  readonly key?: string;
  /** Whether the rail omits it: links of other pages lead to it. Its path may have parameters. */
  readonly hidden?: boolean;
  /** The scope that a person needs to see the page. */
  readonly scope?: Scope;
  readonly topic: Topic;
  readonly load: () => Promise<{ Page: ComponentType }>;
}

/** Every page within an organization, in the order of the rail. */
export const PAGES: readonly PageEntry[] = [
  { path: "", title: "Home", group: "Project", key: "h", topic: "token", load: () => import("~/pages/home/page.tsx") },
  {
    path: "explore",
    title: "Explore",
    group: "Project",
    key: "e",
    scope: "telemetry:read",
    topic: "telemetry",
    load: () => import("~/pages/explore/page.tsx"),
  },
  {
    path: "sql",
    title: "SQL",
    group: "Project",
    key: "q",
    scope: "telemetry:read",
    topic: "query",
    load: () => import("~/pages/sql/page.tsx"),
  },
  {
    path: "metrics",
    title: "Metrics",
    group: "Project",
    key: "m",
    scope: "telemetry:read",
    topic: "telemetry",
    load: () => import("~/pages/metrics/page.tsx"),
  },
  {
    path: "traces",
    title: "Traces",
    group: "Project",
    key: "t",
    scope: "telemetry:read",
    topic: "telemetry",
    load: () => import("~/pages/traces/page.tsx"),
  },
  {
    path: "alerts",
    title: "Alerts",
    group: "Project",
    key: "a",
    scope: "telemetry:read",
    topic: "telemetry",
    load: () => import("~/pages/alerts/page.tsx"),
  },
  {
    path: "files",
    title: "Files",
    group: "Project",
    key: "f",
    scope: "files:read",
    topic: "files",
    load: () => import("~/pages/files/page.tsx"),
  },
  {
    path: "buckets",
    title: "Buckets",
    group: "Project",
    key: "b",
    scope: "apps:read",
    topic: "s3",
    load: () => import("~/pages/buckets/page.tsx"),
  },
  {
    path: "buckets/$app",
    title: "Bucket",
    group: "Project",
    hidden: true,
    scope: "s3:read",
    topic: "s3",
    load: () => import("~/pages/buckets/objects-page.tsx"),
  },
  {
    path: "images",
    title: "Images",
    group: "Project",
    key: "i",
    scope: "registry:pull",
    topic: "registry",
    load: () => import("~/pages/images/page.tsx"),
  },
  {
    path: "images/$app",
    title: "Image",
    group: "Project",
    hidden: true,
    scope: "registry:pull",
    topic: "registry",
    load: () => import("~/pages/images/repository-page.tsx"),
  },
  {
    path: "webhooks",
    title: "Webhooks",
    group: "Project",
    key: "w",
    scope: "webhooks:read",
    topic: "webhooks",
    load: () => import("~/pages/webhooks/page.tsx"),
  },
  {
    path: "webhooks/$webhook",
    title: "Webhook",
    group: "Project",
    hidden: true,
    scope: "webhooks:read",
    topic: "webhooks",
    load: () => import("~/pages/webhooks/webhook-page.tsx"),
  },
  {
    path: "members",
    title: "Members",
    group: "Access",
    key: "p",
    scope: "org:read",
    topic: "token",
    load: () => import("~/pages/members/page.tsx"),
  },
  {
    path: "roles",
    title: "Roles and policies",
    group: "Access",
    scope: "org:read",
    topic: "token",
    load: () => import("~/pages/roles/page.tsx"),
  },
  {
    path: "credentials",
    title: "Credentials",
    group: "Access",
    key: "c",
    scope: "credentials:read",
    topic: "token",
    load: () => import("~/pages/credentials/page.tsx"),
  },
  {
    path: "trusts",
    title: "Trusted issuers",
    group: "Access",
    scope: "credentials:read",
    topic: "token",
    load: () => import("~/pages/trusts/page.tsx"),
  },
  {
    path: "ingest-keys",
    title: "Ingest keys",
    group: "Access",
    scope: "credentials:read",
    topic: "telemetry",
    load: () => import("~/pages/ingest-keys/page.tsx"),
  },
  {
    path: "s3-keys",
    title: "S3 keys",
    group: "Access",
    key: "k",
    scope: "credentials:read",
    topic: "s3",
    load: () => import("~/pages/s3-keys/page.tsx"),
  },
  {
    path: "audit",
    title: "Audit log",
    group: "Access",
    key: "l",
    scope: "audit:read",
    topic: "query",
    load: () => import("~/pages/audit/page.tsx"),
  },
  {
    path: "projects",
    title: "Projects and apps",
    group: "Organization",
    key: "j",
    scope: "projects:read",
    topic: "token",
    load: () => import("~/pages/projects/page.tsx"),
  },
  {
    path: "trash",
    title: "Trash",
    group: "Organization",
    topic: "token",
    load: () => import("~/pages/trash/page.tsx"),
  },
  {
    path: "usage",
    title: "Usage and limits",
    group: "Organization",
    key: "u",
    scope: "org:read",
    topic: "query",
    load: () => import("~/pages/usage/page.tsx"),
  },
  {
    path: "api",
    title: "API",
    group: "Organization",
    key: "o",
    topic: "token",
    load: () => import("~/pages/api/page.tsx"),
  },
  {
    path: "settings",
    title: "Settings",
    group: "Organization",
    key: "s",
    scope: "org:read",
    topic: "token",
    load: () => import("~/pages/settings/page.tsx"),
  },
];
