import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/**
 * Counts the content of each repository, so that showing it costs one row for any number of tags, manifests and blobs.
 */
export async function registryContents(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("registry_contents", {
    columns: { repository: "text", org_id: "text", tags: "integer", manifests: "integer", bytes: "integer" },
    primaryKey: ["repository"],
    references: { repository: "app" },
  });
  await sql`insert into registry_contents (repository, org_id, tags, manifests, bytes)
    select repository, org_id, sum(tags), sum(manifests), sum(bytes) from (
      select repository, org_id, 1 as tags, 0 as manifests, 0 as bytes from registry_tag
      union all
      select repository, org_id, 0, 1, size from registry_manifest
      union all
      select repository, org_id, 0, 0, size from registry_blob) as held
    group by repository, org_id`.execute(tx);
}
