import { sql, type RawBuilder } from "kysely";
import type { RecordLimit } from "#kernel/record-limits.ts";
import type { Writer } from "#stores/metadata/index.ts";

/** The rows that each limit counts. An index finds them by their owner. */
const COUNTED: Readonly<Record<RecordLimit, (owner: string) => RawBuilder<unknown>>> = {
  organizations_max: () => sql`organization`,
  projects_max: (org) => sql`project where org_id = ${org} and trashed_at is null`,
  apps_max: (org) => sql`app where org_id = ${org} and trashed_at is null`,
  members_max: (org) => sql`member where org_id = ${org}`,
  project_members_max: (project) => sql`project_member where project_id = ${project}`,
  groups_max: (org) => sql`person_group where org_id = ${org}`,
  custom_roles_max: (org) => sql`custom_role where org_id = ${org}`,
  group_members_max: (group) => sql`group_member where group_id = ${group}`,
  project_groups_max: (project) => sql`project_group where project_id = ${project}`,
  invitations_max: (org) => sql`invitation where org_id = ${org} and accepted_at is null and revoked_at is null`,
  credentials_max: (org) => sql`credential where org_id = ${org} and revoked_at is null and kind = 'app'`,
  personal_tokens_max: (user) =>
    sql`credential where responsible = ${user} and revoked_at is null and kind = 'personal'`,
  trusts_max: (credential) => sql`credential_trust where credential_id = ${credential}`,
  ingest_keys_max: (org) => sql`credential where org_id = ${org} and revoked_at is null and kind = 'ingest'`,
  s3_keys_max: (org) => sql`s3_key where org_id = ${org} and revoked_at is null`,
  s3_destinations_max: (org) => sql`s3_destination where org_id = ${org}`,
  saved_queries_max: (org) => sql`saved_query where org_id = ${org}`,
  alerts_max: (org) => sql`alert where org_id = ${org}`,
  webhooks_max: (org) => sql`webhook where org_id = ${org} and deleted_at is null`,
  webhook_destinations_max: (webhook) => sql`webhook_destination where webhook_id = ${webhook}`,
  webhook_consumers_max: (webhook) => sql`webhook_consumer where webhook_id = ${webhook}`,
  passkeys_max: (user) => sql`passkey where user_id = ${user}`,
  ingest_rules_max: (org) => sql`ingest_rule where org_id = ${org}`,
  erasures_max: (org) => sql`telemetry_erasure where org_id = ${org} and finished_at is null`,
};

/** Counts the rows of an owner, but reads at most `most` rows. */
export async function countUpTo(tx: Writer, limit: RecordLimit, owner: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select 1 as one from ${COUNTED[limit](owner)} limit ${most}) as counted`.execute(tx);
  return Number(rows[0]?.count ?? 0);
}
