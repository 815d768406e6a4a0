/**
 * The permissions of the product (CONTRACT "Identity"). Credentials and roles have some of them. Each operation needs
 * one.
 */
export const SCOPES = [
  "org:read",
  "org:write",
  "members:write",
  "projects:read",
  "projects:write",
  "apps:read",
  "apps:write",
  "telemetry:write",
  "telemetry:read",
  "queries:manage",
  "files:read",
  "files:write",
  "files:delete",
  "registry:pull",
  "registry:push",
  "registry:delete",
  "s3:read",
  "s3:write",
  "s3:delete",
  "webhooks:read",
  "webhooks:write",
  "credentials:read",
  "credentials:write",
  "audit:read",
] as const;

export type Scope = (typeof SCOPES)[number];

/** The description of each scope, for people who choose scopes. */
export const SCOPE_DESCRIPTIONS: Readonly<Record<Scope, string>> = {
  "org:read": "read the organization, its members and its settings",
  "org:write": "change the organization's name and policies",
  "members:write": "invite and remove members, change their roles",
  "projects:read": "read projects and their members",
  "projects:write": "create, change and delete projects",
  "apps:read": "read apps",
  "apps:write": "create, change and delete apps",
  "telemetry:write": "send logs, metrics and traces; with telemetry:read, save queries",
  "telemetry:read": "query telemetry by SQL",
  "queries:manage": "see and cancel the running queries of everybody; with telemetry:read",
  "files:read": "list and download files",
  "files:write": "upload files",
  "files:delete": "delete files",
  "registry:pull": "pull images",
  "registry:push": "push images",
  "registry:delete": "delete images and tags",
  "s3:read": "read buckets and objects",
  "s3:write": "write buckets and objects",
  "s3:delete": "delete buckets and objects",
  "webhooks:read": "read webhooks and their events",
  "webhooks:write": "create, change and delete webhooks; with telemetry:read, alerts",
  "credentials:read": "list credentials",
  "credentials:write": "create, rotate and revoke credentials",
  "audit:read": "read and verify the audit log",
};

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

export const ORG_ROLES = ["owner", "admin", "developer", "viewer", "guest"] as const;
export type OrgRole = (typeof ORG_ROLES)[number];

export const PROJECT_ROLES = ["maintainer", "writer", "reader"] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];

/** The roles of memberships. `custom`: the membership names a custom role, which has the scopes. */
export const MEMBER_ROLES = [...ORG_ROLES, "custom"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
export const PROJECT_MEMBER_ROLES = [...PROJECT_ROLES, "custom"] as const;
export type ProjectMemberRole = (typeof PROJECT_MEMBER_ROLES)[number];

/** Where a custom role can be given. */
export const CUSTOM_ROLE_KINDS = ["organization", "project"] as const;
export type CustomRoleKind = (typeof CUSTOM_ROLE_KINDS)[number];
