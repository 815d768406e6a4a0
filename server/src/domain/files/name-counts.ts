import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

type Name = Pick<Tables["file"], "org_id" | "project_id" | "filename">;

/** Increases the number of files with this name. */
export function addName(tx: Writer, { org_id, project_id, filename }: Name): void {
  tx.defer(
    tx
      .insertInto("file_name")
      .values({ org_id, filename, place: project_id ?? "", files: 1 })
      .onConflict((on) =>
        on.columns(["org_id", "filename", "place"]).doUpdateSet((eb) => ({ files: eb("file_name.files", "+", 1) })),
      ),
  );
}

/**
 * Decreases the number of files with this name. The delete comes first, because it checks the row again if another
 * transaction has just changed it.
 */
export function removeName(tx: Writer, { org_id, project_id, filename }: Name): void {
  const place = project_id ?? "";
  tx.defer(
    tx
      .deleteFrom("file_name")
      .where("org_id", "=", org_id)
      .where("filename", "=", filename)
      .where("place", "=", place)
      .where("files", "<=", 1),
  );
  tx.defer(
    tx
      .updateTable("file_name")
      .set((eb) => ({ files: eb("files", "-", 1) }))
      .where("org_id", "=", org_id)
      .where("filename", "=", filename)
      .where("place", "=", place),
  );
}

/** Returns the number of files with exactly this name in this place. */
export async function filesOfName(db: Reader, { org_id, project_id, filename }: Name): Promise<number> {
  const row = await db
    .selectFrom("file_name")
    .select("files")
    .where("org_id", "=", org_id)
    .where("filename", "=", filename)
    .where("place", "=", project_id ?? "")
    .executeTakeFirst();
  return row?.files ?? 0;
}
