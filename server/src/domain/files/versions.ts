import type { Reader } from "#stores/metadata/index.ts";
import type { FilePage } from "./list.ts";
import { filesOfName } from "./name-counts.ts";
import type { FileRow } from "./store.ts";

/**
 * Lists every file with the same name in the same place, newest first. Files never change, so these are its versions.
 */
export async function listVersions(
  db: Reader,
  file: Pick<FileRow, "org_id" | "project_id" | "filename">,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<FilePage> {
  const { org_id: orgId, project_id: project, filename } = file;
  const same = db
    .selectFrom("file")
    .where("org_id", "=", orgId)
    .where("filename", "=", filename)
    .where("project_id", project === null ? "is" : "=", project);
  const total = await filesOfName(db, file);
  const files = await same
    .selectAll()
    // The value is the same in all rows. It selects the order of the index, as in `names.ts`.
    .orderBy("project_id", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return { files, total };
}
