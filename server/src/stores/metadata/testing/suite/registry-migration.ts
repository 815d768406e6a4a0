import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Writer } from "../../index.ts";
import type { DatabaseCases } from "./harness.ts";
import { migrated } from "./migrated.ts";

/** Tests how 0048 migrates older repositories. */
export const REGISTRY_MIGRATION: DatabaseCases = {
  "the content of an older repository is counted once": async (database) => {
    const store = await migrated(database, "0048-registry-contents", fill);
    const rows = await store.read.selectFrom("registry_contents").selectAll().orderBy("repository").execute();
    assert.deepEqual(rows, [
      { repository: "app_1", org_id: "org_1", tags: 2, manifests: 1, bytes: 35 },
      { repository: "app_2", org_id: "org_1", tags: 0, manifests: 0, bytes: 10 },
    ]);
    await store.close();
  },
};

async function fill(tx: Writer): Promise<void> {
  await sql`insert into organization (id, slug, name, token_lifetime_s, policy, created_at)
    values ('org_1', 'acme', 'Acme', 900, '{}', 1)`.execute(tx);
  await sql`insert into project (id, org_id, slug, name, visibility, created_at)
    values ('proj_1', 'org_1', 'web', 'Web', 'organization', 1)`.execute(tx);
  await sql`insert into blob (id, org_id, place, store_id, state, size, refs, digests, created_at)
    values ('blob_1', 'registry', 'driver', 'store_1', 'live', 10, 1, '{}', 1)`.execute(tx);
  for (const id of ["app_1", "app_2", "app_3"])
    await sql`insert into app (id, org_id, project_id, slug, name, created_at)
      values (${id}, 'org_1', 'proj_1', ${id}, ${id}, 1)`.execute(tx);
  for (const [repository, digest, size] of [
    ["app_1", "one", 10],
    ["app_1", "two", 20],
    ["app_2", "one", 10],
  ] as const)
    await sql`insert into registry_blob (repository, digest, org_id, blob_id, sha256, size, created_at)
      values (${repository}, ${digest}, 'org_1', 'blob_1', 'd', ${size}, 1)`.execute(tx);
  await sql`insert into registry_manifest (repository, digest, org_id, blob_id, media_type, annotations, size, created_by, created_at, pulls)
    values ('app_1', 'm', 'org_1', 'blob_1', 't', '{}', 5, 'cred_1', 1, 0)`.execute(tx);
  for (const name of ["v1", "v2"])
    await sql`insert into registry_tag (repository, name, org_id, digest, created_by, created_at, updated_at)
      values ('app_1', ${name}, 'org_1', 'm', 'cred_1', 1, 1)`.execute(tx);
}
