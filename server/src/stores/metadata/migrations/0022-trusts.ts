import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/**
 * Creates the tables of trusts: other issuers whose tokens replace a credential's secret. `schema-trusts.ts` says what
 * the columns mean.
 */
export async function trusts(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("credential_trust", {
    columns: {
      id: "text",
      org_id: "text",
      credential_id: "text",
      name: "text",
      issuer: "text",
      audience: "text",
      subject: "text",
      claims: "text",
      created_by: "text",
      created_at: "integer",
      last_used_at: "integer?",
      last_subject: "text?",
    },
    primaryKey: ["id"],
    indexes: [["org_id", "created_at"], ["credential_id"]],
    references: { org_id: "organization", credential_id: "credential" },
  });
}
