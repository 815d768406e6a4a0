import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/**
 * Adds the former secret of a rotated S3 key, which works until the overlap ends, and the time before which the sign-ins
 * of a member are not valid any more.
 */
export async function afterLeak(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("s3_key_former", {
    columns: {
      id: "text",
      key_id: "text",
      access_key: "text",
      secret: "bytes",
      ends_at: "integer",
      last_used_at: "integer?",
    },
    primaryKey: ["id"],
    unique: [["access_key"]],
    indexes: [["key_id"]],
    references: { key_id: "s3_key" },
  });
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const member = tx.schema.alterTable("member");
  await member.addColumn("valid_after", integer).execute();
}
