import { sql } from "kysely";
import type { Clock } from "#kernel/time.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import { tableMaker } from "./migrations/tables.ts";
import type { MetadataStore, Writer } from "./types.ts";

/** How long one migration may take. */
export const MIGRATION_DEADLINE_MS = 600_000;

export interface MigrationTarget {
  dialect: MetadataStore["dialect"];
  /** Runs a transaction with the deadline `MIGRATION_DEADLINE_MS`. */
  write<T>(work: (tx: Writer) => Promise<T>): Promise<T>;
  lock: MetadataStore["lock"];
  clock: Clock;
  migrating?: Migrating | undefined;
}

/**
 * What to do with missing migrations: apply all, apply them only to an empty database, or apply none. A command beside
 * a running server must apply none, because an older server does not start again on records that a newer command has
 * changed.
 */
export type Migrating = "apply" | "create" | "refuse";

/** The database has an older version, and this process may not migrate it. */
export class MigrationsPending extends Error {
  readonly names: readonly string[];

  constructor(names: readonly string[], isEmpty: boolean) {
    super(
      isEmpty
        ? "there are no records yet: start the server (mooring serve), or run mooring bootstrap"
        : `an older version of Mooring has made the metadata database, and ${names.length} migrations are missing (${names.join(", ")}); nothing was changed. Stop that version's server and run mooring upgrade, or use that version's commands`,
    );
    this.name = "MigrationsPending";
    this.names = names;
  }
}

/** Returns the migrations that records of an older version lack, if the error says that. Otherwise there are none. */
export function missingMigrations(error: unknown): readonly string[] {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return reason instanceof MigrationsPending ? reason.names : [];
}

/**
 * Applies the missing migrations, each in one transaction. Several processes may do so at once. Rejects without a
 * change when the database has a migration that this version does not know.
 */
export async function migrate(target: MigrationTarget): Promise<void> {
  const { migrating = "apply" } = target;
  if (migrating !== "apply") await target.write((tx) => requireCurrent(tx, target.dialect, migrating));
  let pending = migrating !== "refuse";
  while (pending) pending = await target.write((tx) => applyNext(tx, target));
}

/** @throws MigrationsPending */
async function requireCurrent(tx: Writer, dialect: MetadataStore["dialect"], migrating: Migrating): Promise<void> {
  const rows = (await hasMigrationTable(tx, dialect)) ? await tx.selectFrom("migration").select("name").execute() : [];
  const applied = new Set(rows.map(({ name }) => name));
  assertKnown(applied);
  const names = MIGRATIONS.map(({ name }) => name).filter((name) => !applied.has(name));
  if (names.length === 0 || (migrating === "create" && applied.size === 0)) return;
  throw new MigrationsPending(names, applied.size === 0);
}

/** Applies the first missing migration. Resolves to whether there was one. */
async function applyNext(tx: Writer, { dialect, lock, clock }: MigrationTarget): Promise<boolean> {
  await lock(tx, "migration");
  const applied = await appliedNames(tx, dialect);
  assertKnown(applied);
  const next = MIGRATIONS.find(({ name }) => !applied.has(name));
  if (next === undefined) return false;
  try {
    await next.up(tx, dialect);
  } catch (error) {
    throw new Error(`cannot apply migration ${next.name} to the metadata database: nothing was changed`, {
      cause: error,
    });
  }
  await tx.insertInto("migration").values({ name: next.name, applied_at: clock.nowMs() }).execute();
  return true;
}

async function appliedNames(tx: Writer, dialect: MetadataStore["dialect"]): Promise<Set<string>> {
  if (!(await hasMigrationTable(tx, dialect))) {
    await tableMaker(tx, dialect)("migration", {
      columns: { name: "text", applied_at: "integer" },
      primaryKey: ["name"],
    });
  }
  const rows = await tx.selectFrom("migration").select("name").execute();
  return new Set(rows.map(({ name }) => name));
}

async function hasMigrationTable(tx: Writer, dialect: MetadataStore["dialect"]): Promise<boolean> {
  const query =
    dialect === "sqlite"
      ? sql`select 1 from sqlite_schema where type = 'table' and name = 'migration'`
      : sql`select 1 from pg_catalog.pg_tables where schemaname = current_schema() and tablename = 'migration'`;
  return (await query.execute(tx)).rows.length > 0;
}

function assertKnown(applied: ReadonlySet<string>): void {
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const unknown = [...applied].filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const names = unknown.toSorted().join(", ");
  throw new Error(
    `cannot use the metadata database: a newer version of Mooring has changed it (${names}); start that version, or restore a backup`,
  );
}
