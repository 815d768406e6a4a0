import { sql } from "kysely";
import type { Writer } from "../types.ts";

/** Adds an index that finds the operators among many people. */
export async function operatorIndex(tx: Writer): Promise<void> {
  await sql`create index person__operators on person (id) where instance_admin = 1`.execute(tx);
}
