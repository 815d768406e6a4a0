import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Adds the mails that wait for a mail server, or that none has accepted. */
export async function mails(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("mail", {
    columns: {
      id: "text",
      recipient: "text",
      subject: "text",
      body: "bytes?",
      invitation_id: "text?",
      attempts: "integer",
      failure: "text?",
      failed_at: "integer?",
      next_at: "integer?",
      created_at: "integer",
      expires_at: "integer",
    },
    primaryKey: ["id"],
    indexes: [["created_at"], ["recipient"], ["invitation_id"]],
  });
}
