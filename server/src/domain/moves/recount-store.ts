import { sql } from "kysely";
import type { Writer } from "#stores/metadata/index.ts";

/**
 * Counts the usage of an organization from its rows. The counts of the old server include uploads under way, which do
 * not move, and an altered export could have any number.
 */
export async function countUsage(tx: Writer, orgId: string): Promise<void> {
  await sql`insert into file_usage (org_id, place, files, bytes, grants, reserved, trashed_files, trashed_bytes)
    select ${orgId}, place, sum(files), sum(bytes), 0, 0, sum(trashed_files), sum(trashed_bytes) from (
      select coalesce(project_id, '') as place, 1 as files, size as bytes, 0 as trashed_files, 0 as trashed_bytes
        from file where org_id = ${orgId}
      union all
      select coalesce(project_id, ''), 0, 0, 1, size from trashed_file where org_id = ${orgId}) as counted
    group by place`.execute(tx);
  // Only a current version counts as an object. Every version, also a delete marker, counts as a write.
  await sql`insert into s3_usage (org_id, bucket, shard, objects, bytes, writes)
    select ${orgId}, bucket, 0, sum(objects), sum(bytes), count(*) from (
      select bucket, 1 as objects, size as bytes from s3_object where org_id = ${orgId}
      union all
      select bucket, 0, size from s3_history where org_id = ${orgId}) as counted
    group by bucket`.execute(tx);
  // Equal content of several repositories is stored once.
  await sql`insert into registry_usage (org_id, bytes, uploading)
    select ${orgId}, (select coalesce(sum(size), 0) from
        (select max(size) as size from registry_blob where org_id = ${orgId} group by sha256) as content)
      + (select coalesce(sum(size), 0) from registry_manifest where org_id = ${orgId}), 0`.execute(tx);
  await sql`insert into webhook_usage (org_id, events, bytes, purged)
    select ${orgId}, count(*), coalesce(sum(size + length(headers)), 0), 0 from webhook_event where org_id = ${orgId}`.execute(
    tx,
  );
}
