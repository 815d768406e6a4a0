import { sql } from "kysely";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";

/** Returns the database's time, because the clocks of several machines differ. In milliseconds since the epoch. */
function databaseNow(dialect: MetadataStore["dialect"]) {
  return dialect === "sqlite"
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
}

/** Records that a directory has a server. If the directory was given up, it no longer is. */
export async function beat(tx: Writer, dialect: MetadataStore["dialect"], storeId: string): Promise<void> {
  const now = databaseNow(dialect);
  await tx
    .insertInto("telemetry_node")
    .values({ store_id: storeId, beat_at: now, given_up_at: null })
    .onConflict((conflict) => conflict.column("store_id").doUpdateSet({ beat_at: now, given_up_at: null }))
    .execute();
}

/** Records that the directory has no server now. */
export async function leave(tx: Writer, storeId: string): Promise<void> {
  await tx.updateTable("telemetry_node").set({ beat_at: null }).where("store_id", "=", storeId).execute();
}

export async function addHolding(tx: Writer, storeId: string, orgIds: readonly string[]): Promise<void> {
  for (const orgId of orgIds)
    await tx
      .insertInto("telemetry_holding")
      .values({ store_id: storeId, org_id: orgId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Lists the other directories that have a server now. */
export async function othersLive(
  db: Reader,
  dialect: MetadataStore["dialect"],
  options: { storeId: string; liveMs: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("telemetry_node")
    .select("store_id")
    .where("store_id", "!=", options.storeId)
    .where("beat_at", ">", sql<number>`${databaseNow(dialect)} - ${sql.lit(options.liveMs)}`)
    .orderBy("store_id")
    .execute();
  return rows.map((row) => row.store_id);
}

/** Lists other directories that have rows of the organization and are not given up. */
export async function othersHolding(db: Reader, storeId: string, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("telemetry_holding as holding")
    .leftJoin("telemetry_node as node", "node.store_id", "holding.store_id")
    .select("holding.store_id")
    .where("holding.org_id", "=", orgId)
    .where("holding.store_id", "!=", storeId)
    .where("node.given_up_at", "is", null)
    .orderBy("holding.store_id")
    .execute();
  return rows.map((row) => row.store_id);
}

/** A telemetry directory as the operator sees it. */
export interface TelemetryDirectory {
  readonly id: string;
  readonly isLive: boolean;
  /** By the database's clock. Null: the server stopped normally, or was never seen. */
  readonly beatAtMs: number | null;
  readonly givenUpAtMs: number | null;
  /** Slugs of the organizations that have rows in the directory. */
  readonly organizations: readonly string[];
}

export async function telemetryDirectories(
  metadata: Pick<MetadataStore, "read" | "dialect">,
  liveMs: number,
): Promise<TelemetryDirectory[]> {
  const db = metadata.read;
  const { rows: clock } = await sql<{ now: number }>`select ${databaseNow(metadata.dialect)} as now`.execute(db);
  const nodes = await db.selectFrom("telemetry_node").selectAll().execute();
  const holdings = await db
    .selectFrom("telemetry_holding")
    .innerJoin("organization", "organization.id", "telemetry_holding.org_id")
    .select(["store_id", "organization.slug"])
    .orderBy("organization.slug")
    .execute();
  const ids = new Set([...nodes, ...holdings].map((row) => row.store_id));
  return [...ids].toSorted().map((id) => {
    const node = nodes.find((row) => row.store_id === id);
    const beatAtMs = node?.beat_at ?? null;
    return {
      id,
      beatAtMs,
      isLive: beatAtMs !== null && beatAtMs > Number(clock[0]?.now) - liveMs,
      givenUpAtMs: node?.given_up_at ?? null,
      organizations: holdings.filter((row) => row.store_id === id).map((row) => row.slug),
    };
  });
}

/** Makes queries ignore the directory's rows until a server starts on it again. */
export async function giveUp(tx: Writer, dialect: MetadataStore["dialect"], storeId: string): Promise<void> {
  const now = databaseNow(dialect);
  await tx
    .insertInto("telemetry_node")
    .values({ store_id: storeId, beat_at: null, given_up_at: now })
    .onConflict((conflict) => conflict.column("store_id").doUpdateSet({ beat_at: null, given_up_at: now }))
    .execute();
}
