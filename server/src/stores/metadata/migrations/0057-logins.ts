import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Adds logins of the command line: their refresh tokens, and the requests that a person has to approve. */
export async function logins(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const make = tableMaker(tx, dialect);
  await make("login", {
    columns: {
      id: "text",
      user_id: "text",
      org_id: "text",
      name: "text",
      flow: "text",
      method: "text",
      second_factor: "integer",
      confirmed_at: "integer",
      family_hash: "text",
      refresh_hash: "text",
      access_hash: "text",
      access_until: "integer",
      former_hash: "text?",
      former_until: "integer?",
      created_at: "integer",
      last_used_at: "integer",
      ip: "text?",
    },
    primaryKey: ["id"],
    unique: [["family_hash"]],
    indexes: [["user_id"], ["org_id", "user_id"], ["last_used_at"]],
    references: { user_id: "person", org_id: "organization" },
  });
  await make("login_request", {
    columns: {
      secret_hash: "text",
      flow: "text",
      user_code_hash: "text?",
      name: "text",
      ip: "text?",
      organization: "text?",
      redirect_uri: "text?",
      challenge: "text?",
      state: "text",
      user_id: "text?",
      org_id: "text?",
      method: "text?",
      second_factor: "integer?",
      confirmed_at: "integer?",
      login_id: "text?",
      polled_at: "integer?",
      interval_s: "integer",
      created_at: "integer",
      expires_at: "integer",
    },
    primaryKey: ["secret_hash"],
    unique: [["user_code_hash"]],
    indexes: [["expires_at"], ["ip"]],
  });
}
