/**
 * The most records of each kind, and their owner. Each is a setting of this name. A create counts records in its own
 * transaction, by an index, and answers `limit_reached` at the limit.
 */
export const RECORD_LIMITS = {
  organizations_max: { default: 100_000, of: "organizations on this server" },
  projects_max: { default: 10_000, of: "projects of an organization" },
  apps_max: { default: 10_000, of: "apps of an organization, each with its bucket and repository" },
  members_max: { default: 10_000, of: "members of an organization" },
  project_members_max: { default: 10_000, of: "members of a project" },
  groups_max: { default: 1_000, of: "groups of an organization" },
  custom_roles_max: { default: 200, of: "custom roles of an organization" },
  group_members_max: { default: 10_000, of: "members of a group" },
  project_groups_max: { default: 100, of: "groups of a project" },
  invitations_max: { default: 1_000, of: "open invitations of an organization" },
  credentials_max: { default: 10_000, of: "credentials of an organization that are not revoked" },
  personal_tokens_max: { default: 100, of: "personal access tokens of a person that are not revoked" },
  trusts_max: { default: 20, of: "trusted issuers of a credential" },
  ingest_keys_max: { default: 10_000, of: "ingest keys of an organization that are not revoked" },
  s3_keys_max: { default: 10_000, of: "access keys of an organization that are not revoked" },
  s3_destinations_max: { default: 100, of: "destinations of bucket notifications of an organization" },
  saved_queries_max: { default: 1_000, of: "saved queries of an organization" },
  alerts_max: { default: 200, of: "alerts of an organization" },
  webhooks_max: { default: 1_000, of: "webhooks of an organization" },
  webhook_destinations_max: { default: 20, of: "destinations of a webhook" },
  webhook_consumers_max: { default: 50, of: "consumers of a webhook" },
  passkeys_max: { default: 20, of: "passkeys of a person" },
  ingest_rules_max: { default: 100, of: "rules of an organization for rows that arrive" },
  erasures_max: { default: 1_000, of: "requests of an organization to erase telemetry that are not finished" },
} as const satisfies Record<string, { default: number; of: string }>;

export type RecordLimit = keyof typeof RECORD_LIMITS;
export type RecordLimits = Readonly<Record<RecordLimit, number>>;

export const DEFAULT_RECORD_LIMITS: RecordLimits = Object.fromEntries(
  Object.entries(RECORD_LIMITS).map(([name, limit]) => [name, limit.default]),
) as Record<RecordLimit, number>;
