import type { MetadataStore } from "./types.ts";

/** Writes one row in a separate transaction, without a change to it. Rejects as each other write would. */
export async function probeRecords({ write }: Pick<MetadataStore, "write">): Promise<void> {
  await write(async (tx) => {
    const first = tx.selectFrom("migration").select((select) => select.fn.min("name").as("name"));
    await tx
      .updateTable("migration")
      .set((expression) => ({ applied_at: expression.ref("applied_at") }))
      .where("name", "=", first)
      .execute();
  });
}
