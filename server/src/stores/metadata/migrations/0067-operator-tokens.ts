import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/**
 * Adds the tokens with which operators use the API without a browser, and the former slugs of organizations, which stay
 * reserved because image names and addresses contain them.
 */
export async function operatorTokens(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const create = tableMaker(tx, dialect);
  await create("operator_token", {
    columns: {
      id: "text",
      name: "text",
      hash: "text",
      created_by: "text",
      created_at: "integer",
      expires_at: "integer?",
      last_used_at: "integer?",
    },
    primaryKey: ["id"],
    unique: [["hash"]],
  });
  await create("former_slug", {
    columns: { slug: "text", org_id: "text", retired_at: "integer" },
    primaryKey: ["slug"],
    indexes: [["org_id"]],
    references: { org_id: "organization" },
  });
}
