import { sql } from "kysely";
import {
  jsonTable,
  prepared,
  type MetadataStore,
  type Reader,
  type Tables,
  type Writer,
} from "#stores/metadata/index.ts";

export type DestinationRow = Tables["s3_destination"];
export type DeliveryRow = Tables["s3_delivery"];

export async function insertDestination(tx: Writer, row: DestinationRow): Promise<boolean> {
  const inserted = await tx
    .insertInto("s3_destination")
    .values(row)
    .onConflict((on) => on.columns(["org_id", "name"]).doNothing())
    .returning("id")
    .execute();
  return inserted.length > 0;
}

/** Finds a destination by id or name. */
export async function destinationByName(db: Reader, orgId: string, name: string): Promise<DestinationRow | undefined> {
  return db
    .selectFrom("s3_destination")
    .selectAll()
    .where("org_id", "=", orgId)
    .where(name.startsWith("dest_") ? "id" : "name", "=", name)
    .executeTakeFirst();
}

export async function listDestinationRows(
  db: Reader,
  orgId: string,
  page: { readonly beforeId: string | undefined; readonly limit: number },
): Promise<DestinationRow[]> {
  return db
    .selectFrom("s3_destination")
    .selectAll()
    .where("org_id", "=", orgId)
    .$if(page.beforeId !== undefined, (query) => query.where("id", "<", page.beforeId ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}

/** Deletes the destination and its pending messages. */
export async function deleteDestination(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom("s3_delivery").where("destination_id", "=", id).execute();
  await tx.deleteFrom("s3_destination").where("id", "=", id).execute();
}

type DeliveriesOf = Pick<DeliveryRow, "org_id" | "created_at">;

export function insertDeliveries(
  dialect: MetadataStore["dialect"],
  tx: Writer,
  of: DeliveriesOf,
  rows: readonly Pick<DeliveryRow, "id" | "destination_id" | "body">[],
): void {
  tx.defer(INSERT_DELIVERIES[dialect].with(tx, of, JSON.stringify(rows)));
}

const INSERT_DELIVERIES = { sqlite: insertIn("sqlite"), postgres: insertIn("postgres") };

function insertIn(dialect: MetadataStore["dialect"]) {
  const columns = { id: "text", destination_id: "text", body: "text" } as const;
  return prepared(
    (_db, of: DeliveriesOf, rows: string) => sql`
    insert into s3_delivery (id, org_id, destination_id, body, state, attempts, created_at)
    select id, cast(${of.org_id} as text), destination_id, body, 'pending', 0, cast(${of.created_at} as bigint)
    from ${jsonTable(dialect, columns, rows)} as d`,
  );
}

/** Reads the latest failed deliveries, so that people can find the cause. */
export async function latestDeliveries(db: Reader, destinationId: string, limit: number): Promise<DeliveryRow[]> {
  return db
    .selectFrom("s3_delivery")
    .selectAll()
    .where("destination_id", "=", destinationId)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}
