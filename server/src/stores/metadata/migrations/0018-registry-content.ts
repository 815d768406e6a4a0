import { sql } from "kysely";
import type { Writer } from "../types.ts";

/**
 * Removes the organization from image content in the object store, so that equal content of several organizations is
 * stored once.
 */
export async function registryContent(tx: Writer): Promise<void> {
  await sql`
    update blob set org_id = 'registry'
    where id in (select blob_id from registry_blob)
      or id in (select blob_id from registry_manifest)
      or id in (select blob_id from registry_upload_part)
      or id in (select p.part_id from blob_part as p where p.blob_id in (select blob_id from registry_blob))`.execute(
    tx,
  );
  await tx.schema.createIndex("registry_blob__sha256__index").on("registry_blob").column("sha256").execute();
}
