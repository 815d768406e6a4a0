import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Adds groups of people, and groups as members of projects. */
export async function groups(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const make = tableMaker(tx, dialect);
  await make("person_group", {
    columns: {
      id: "text",
      org_id: "text",
      slug: "text",
      name: "text",
      claim: "text?",
      created_by: "text",
      created_at: "integer",
    },
    primaryKey: ["id"],
    unique: [
      ["org_id", "slug"],
      ["org_id", "claim"],
    ],
    indexes: [["org_id", "id"]],
    references: { org_id: "organization" },
  });
  await make("group_member", {
    columns: {
      org_id: "text",
      group_id: "text",
      user_id: "text",
      source: "text",
      created_at: "integer",
      expires_at: "integer?",
    },
    primaryKey: ["group_id", "user_id", "source"],
    indexes: [["org_id", "user_id"], ["user_id"], ["org_id", "expires_at"]],
    references: { org_id: "organization", group_id: "person_group", user_id: "person" },
  });
  await make("project_group", {
    columns: {
      org_id: "text",
      project_id: "text",
      group_id: "text",
      role: "text",
      created_at: "integer",
      expires_at: "integer?",
    },
    primaryKey: ["project_id", "group_id"],
    indexes: [["group_id"], ["org_id", "expires_at"]],
    references: { org_id: "organization", project_id: "project", group_id: "person_group" },
  });
}
