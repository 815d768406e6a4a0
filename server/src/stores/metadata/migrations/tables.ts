import { sql, type CreateTableBuilder, type RawBuilder } from "kysely";
import { constraintName } from "../errors.ts";
import type { MetadataStore, Writer } from "../types.ts";

/**
 * A `?` makes the column nullable. Integers have 64 bits and text is sorted by bytes, so both databases agree on every
 * order.
 */
export type ColumnKind = "text" | "text?" | "integer" | "integer?" | "bytes" | "bytes?";

export interface TableDefinition {
  columns: Readonly<Record<string, ColumnKind>>;
  primaryKey: readonly string[];
  unique?: readonly (readonly string[])[];
  indexes?: readonly (readonly string[])[];
  /** Columns that hold the `id` of a row of another table. */
  references?: Readonly<Record<string, string>>;
}

type Table = CreateTableBuilder<string, string>;
type Dialect = MetadataStore["dialect"];

export const TYPES: Record<Dialect, Record<"text" | "integer" | "bytes", RawBuilder<unknown>>> = {
  sqlite: { text: sql`text`, integer: sql`integer`, bytes: sql`blob` },
  postgres: { text: sql`text collate "C"`, integer: sql`bigint`, bytes: sql`bytea` },
};

/** Returns a function that creates a table with its keys and indexes in the given transaction. */
export function tableMaker(tx: Writer, dialect: Dialect): (name: string, definition: TableDefinition) => Promise<void> {
  return async (name, definition) => {
    await createTable(tx, dialect, name, definition);
    for (const columns of definition.indexes ?? []) {
      await tx.schema
        .createIndex(`${constraintName(name, columns)}__index`)
        .on(name)
        .columns([...columns])
        .execute();
    }
  };
}

async function createTable(tx: Writer, dialect: Dialect, name: string, definition: TableDefinition): Promise<void> {
  const keyName = constraintName(name, definition.primaryKey);
  let table: Table = tx.schema.createTable(name);
  table = table.addPrimaryKeyConstraint(keyName, [...definition.primaryKey]);
  for (const [column, kind] of Object.entries(definition.columns)) {
    const optional = kind.endsWith("?");
    const type = TYPES[dialect][kind.replace("?", "") as "text" | "integer" | "bytes"];
    table = table.addColumn(column, type, (build) => (optional ? build : build.notNull()));
  }
  for (const columns of definition.unique ?? []) {
    table = table.addUniqueConstraint(constraintName(name, columns), [...columns]);
  }
  for (const [column, target] of Object.entries(definition.references ?? {})) {
    table = table.addForeignKeyConstraint(`${constraintName(name, [column])}__reference`, [column], target, ["id"]);
  }
  // STRICT makes SQLite refuse a value of another type, as PostgreSQL does.
  await (dialect === "sqlite" ? table.modifyEnd(sql`strict`) : table).execute();
}
