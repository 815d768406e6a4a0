import type { Reader } from "#stores/metadata/index.ts";
import type { FilePage } from "./list.ts";
import { filesOfName } from "./name-counts.ts";
import type { FileRow } from "./store.ts";

/** Every file of the same name in the same place, newest first: files never change, so that these are its versions. */
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
    // As in `names.ts`: the same in all rows, and the order of the index.
    .orderBy("project_id", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return { files, total };
}
