import { sql, type RawBuilder } from "kysely";

/** The columns of a membership's custom role. Null: the role is built in. */
export interface CustomRoleColumns {
  readonly custom_slug: string | null;
  readonly custom_scopes: string | null;
}

/** Returns the columns for a query of a table that has `custom_role`. */
export function customRoleOf(table: string) {
  const id = `${table}.custom_role`;
  return [customRole(id, "slug").as("custom_slug"), customRole(id, "scopes").as("custom_scopes")];
}

/** Returns one column of the custom role whose id is in another column. */
export function customRole(id: string, name: "slug" | "scopes"): RawBuilder<string | null> {
  return sql<string | null>`(select r.${sql.ref(name)} from custom_role as r where r.id = ${sql.ref(id)})`;
}
