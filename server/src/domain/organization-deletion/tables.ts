import type { Tables } from "#stores/metadata/index.ts";

/** A table with rows of an organization. */
export interface TableOfOrganization {
  readonly table: keyof Tables;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** For a table without `org_id`: the column that names a row of a table with it. */
  readonly parent?: { readonly column: string; readonly table: keyof Tables };
  /** The column `blob_id` holds content of the organization, or of the registry, which all organizations share. */
  readonly content?: "organization" | "registry";
}

const BY_ID = ["id"] as const;

/** Everything that gives access. Rows that refer to others go first, here and below. */
export const ACCESS: readonly TableOfOrganization[] = [
  { table: "login_request", key: ["secret_hash"] },
  { table: "login", key: BY_ID },
  { table: "setup_link", key: BY_ID },
  { table: "invitation", key: BY_ID },
  { table: "project_group", key: ["project_id", "group_id"] },
  { table: "group_member", key: ["group_id", "user_id", "source"] },
  { table: "person_group", key: BY_ID },
  { table: "project_member", key: ["project_id", "user_id"] },
  { table: "credential_trust", key: BY_ID },
  { table: "credential_secret", key: BY_ID, parent: { column: "credential_id", table: "credential" } },
  {
    table: "credential_activity",
    key: ["credential_id", "hour", "service", "ip", "user_agent"],
    parent: { column: "credential_id", table: "credential" },
  },
  {
    table: "credential_minute",
    key: ["credential_id", "minute"],
    parent: { column: "credential_id", table: "credential" },
  },
  { table: "credential", key: BY_ID },
  { table: "s3_key_former", key: BY_ID, parent: { column: "key_id", table: "s3_key" } },
  { table: "s3_key", key: BY_ID },
  { table: "member", key: ["org_id", "user_id"] },
  { table: "custom_role", key: BY_ID },
];

/** Rows that hold content. */
export const CONTENTS: readonly TableOfOrganization[] = [
  { table: "file", key: BY_ID, content: "organization" },
  { table: "trashed_file", key: BY_ID, content: "organization" },
  { table: "upload_part", key: ["grant_id", "start"], content: "organization" },
  { table: "upload_grant", key: BY_ID },
  { table: "s3_object", key: ["bucket", "key"], content: "organization" },
  { table: "s3_history", key: ["bucket", "key", "seq"], content: "organization" },
  { table: "s3_part", key: ["upload_id", "number"], content: "organization" },
  { table: "s3_upload", key: BY_ID },
  { table: "webhook_body", key: ["seq"], content: "organization" },
  { table: "registry_reference", key: ["repository", "manifest", "target"] },
  { table: "registry_tag", key: ["repository", "name"] },
  { table: "registry_manifest", key: ["repository", "digest"], content: "registry" },
  { table: "registry_blob", key: ["repository", "digest"], content: "registry" },
  { table: "registry_upload_part", key: ["upload_id", "start"], content: "registry" },
  { table: "registry_upload", key: BY_ID },
];

/** All other records. The organization itself goes after them. */
export const RECORDS: readonly TableOfOrganization[] = [
  { table: "file_name", key: ["org_id", "filename", "place"] },
  { table: "file_origin", key: ["org_id", "origin"] },
  { table: "file_policy", key: ["org_id"] },
  { table: "file_usage", key: ["org_id", "place"] },
  { table: "s3_delivery", key: BY_ID },
  { table: "s3_destination", key: BY_ID },
  { table: "s3_bucket", key: BY_ID },
  { table: "s3_usage", key: ["org_id", "bucket", "shard"] },
  { table: "registry_contents", key: ["repository"] },
  { table: "registry_repository", key: BY_ID },
  { table: "registry_policy", key: ["org_id"] },
  { table: "registry_usage", key: ["org_id"] },
  { table: "webhook_consumer", key: ["webhook_id", "name"] },
  { table: "webhook_delivery", key: BY_ID },
  { table: "webhook_destination", key: BY_ID },
  { table: "webhook_url", key: BY_ID },
  { table: "webhook_event", key: ["seq"] },
  { table: "webhook_rejection", key: BY_ID },
  { table: "webhook", key: BY_ID },
  { table: "webhook_policy", key: ["project_id"] },
  { table: "webhook_usage", key: ["org_id", "webhook_id"] },
  { table: "quota", key: ["org_id", "scope", "target_id"] },
  { table: "alert_evaluation", key: ["alert_id", "seq"], parent: { column: "alert_id", table: "alert" } },
  { table: "alert_delivery", key: BY_ID },
  { table: "alert", key: BY_ID },
  { table: "saved_query", key: BY_ID },
  { table: "ingest_rule", key: BY_ID },
  { table: "running_query", key: BY_ID },
  { table: "trash_item", key: BY_ID },
  { table: "app", key: BY_ID },
  { table: "deleted_project", key: ["org_id", "id"] },
  { table: "project", key: BY_ID },
  { table: "refused_repeat", key: BY_ID },
  { table: "refused_request", key: BY_ID },
  { table: "organization_activity", key: ["org_id", "hour", "service"] },
  { table: "usage_daily", key: ["org_id", "day", "project_id", "credential_id", "service"] },
  {
    table: "refused_entries",
    key: ["org_id", "hour", "sender_id", "project_id", "protocol", "type", "reason"],
  },
  {
    table: "telemetry_erasure_part",
    key: ["erasure_id", "store_id"],
    parent: { column: "erasure_id", table: "telemetry_erasure" },
  },
  { table: "telemetry_erasure", key: BY_ID },
  { table: "telemetry_file", key: ["store_id", "id"] },
  { table: "telemetry_key", key: ["store_id", "org_id", "type", "key_hash"] },
  { table: "telemetry_progress", key: ["store_id", "org_id", "type"] },
  { table: "telemetry_holding", key: ["store_id", "org_id"] },
  { table: "telemetry_policy", key: ["org_id"] },
  { table: "blob_part", key: ["blob_id", "position", "seq"], parent: { column: "blob_id", table: "blob" } },
  { table: "blob_data", key: BY_ID, parent: { column: "id", table: "blob" } },
  { table: "blob", key: BY_ID },
  { table: "audit", key: ["org_id", "seq"] },
  { table: "audit_head", key: ["org_id"] },
  { table: "former_slug", key: ["slug"] },
];

/** The tables without rows of an organization, and what they have. */
export const NOT_OF_ORGANIZATIONS: Readonly<Partial<Record<keyof Tables | "migration", string>>> = {
  account_link: "people",
  browser_session: "people",
  deleted_person: "people",
  external_identity: "people",
  passkey: "people",
  person: "people, who stay",
  person_totp: "people",
  recovery_code: "people",
  sign_in_attempt: "people",
  audit_key: "the installation",
  checkpoint_key: "the installation",
  auth_change: "the installation; rows end by themselves",
  deleted_organization: "slugs of deleted organizations, which stay reserved",
  idempotency: "answers of the API; rows end by themselves after a day",
  job: "jobs of the organization are deleted by their group",
  key: "the installation",
  key_rotation: "the installation",
  mail: "mails end with the links in them, at the latest after days",
  migration: "the installation",
  node: "the installation",
  operator_token: "operators",
  organization: "the organization itself, at the end",
  signing_key: "the installation",
  telemetry_node: "the installation",
  telemetry_store: "the installation",
  webhook_head: "the installation",
};
