import type { Insertable, Selectable } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type SigningKeyRow = Selectable<Tables["signing_key"]>;

export async function signingKeyRows(db: Reader): Promise<SigningKeyRow[]> {
  return db.selectFrom("signing_key").selectAll().orderBy("active_at").execute();
}

export async function insertSigningKey(tx: Writer, row: Insertable<Tables["signing_key"]>): Promise<void> {
  await tx.insertInto("signing_key").values(row).execute();
}

export async function retireSigningKey(
  tx: Writer,
  kid: string,
  times: { retiredAtMs: number; removedAtMs: number },
): Promise<void> {
  await tx
    .updateTable("signing_key")
    .set({ retired_at: times.retiredAtMs, removed_at: times.removedAtMs })
    .where("kid", "=", kid)
    .execute();
}

export async function activateSigningKey(tx: Writer, kid: string, atMs: number): Promise<void> {
  await tx.updateTable("signing_key").set({ active_at: atMs }).where("kid", "=", kid).execute();
}

export async function deleteSigningKeys(tx: Writer, kids: readonly string[]): Promise<void> {
  await tx
    .deleteFrom("signing_key")
    .where("kid", "in", [...kids])
    .execute();
}
