import { sql } from "kysely";
import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type AddressRow = Tables["credential_activity"];
export type MinuteRow = Tables["credential_minute"];
export type ServiceRow = Tables["organization_activity"];

/** Rows to add to the stored counts. No two rows of a list have the same key. */
export interface CountedRows {
  readonly addresses: readonly AddressRow[];
  readonly minutes: readonly MinuteRow[];
  readonly services: readonly ServiceRow[];
}

export function addRows(tx: Writer, { addresses, minutes, services }: CountedRows): void {
  if (addresses.length > 0) tx.defer(addressesAdded(tx, addresses));
  if (minutes.length > 0) {
    const insert = tx.insertInto("credential_minute").values([...minutes]);
    tx.defer(
      insert.onConflict((on) =>
        on.columns(["credential_id", "minute"]).doUpdateSet({
          requests: sql`credential_minute.requests + excluded.requests`,
          refused: sql`credential_minute.refused + excluded.refused`,
        }),
      ),
    );
  }
  if (services.length > 0) {
    const insert = tx.insertInto("organization_activity").values([...services]);
    tx.defer(
      insert.onConflict((on) =>
        on.columns(["org_id", "hour", "service"]).doUpdateSet({
          requests: sql`organization_activity.requests + excluded.requests`,
          refused: sql`organization_activity.refused + excluded.refused`,
          limited: sql`organization_activity.limited + excluded.limited`,
        }),
      ),
    );
  }
}

function addressesAdded(tx: Writer, rows: readonly AddressRow[]) {
  return tx
    .insertInto("credential_activity")
    .values([...rows])
    .onConflict((on) =>
      on.columns(["credential_id", "hour", "service", "ip", "user_agent"]).doUpdateSet({
        requests: sql`credential_activity.requests + excluded.requests`,
        refused: sql`credential_activity.refused + excluded.refused`,
        last_at: sql`case when excluded.last_at > credential_activity.last_at then excluded.last_at else credential_activity.last_at end`,
      }),
    );
}

/** Deletes counts from before these times. */
export async function deleteRows(
  tx: Writer,
  before: { readonly hour: Cutoff; readonly minute: Cutoff },
): Promise<void> {
  await tx.deleteFrom("credential_activity").where("hour", "<", before.hour).execute();
  await tx.deleteFrom("organization_activity").where("hour", "<", before.hour).execute();
  await tx.deleteFrom("credential_minute").where("minute", "<", before.minute).execute();
}

interface Sums {
  readonly requests: number;
  readonly refused: number;
}

/** PostgreSQL returns sums as text, and null for no rows. */
const number = (value: unknown): number => Number(value ?? 0);

export async function sumOfMinutes(db: Reader, credentialId: string, fromMinute: number): Promise<Sums> {
  const row = await db
    .selectFrom("credential_minute")
    .select((eb) => [eb.fn.sum("requests").as("requests"), eb.fn.sum("refused").as("refused")])
    .where("credential_id", "=", credentialId)
    .where("minute", ">=", fromMinute)
    .executeTakeFirst();
  return { requests: number(row?.requests), refused: number(row?.refused) };
}

/** Returns sums by service, most used first. */
export async function sumsByService(
  db: Reader,
  credentialId: string,
  fromHour: number,
): Promise<(Sums & { readonly service: string })[]> {
  const rows = await db
    .selectFrom("credential_activity")
    .select((eb) => ["service", eb.fn.sum("requests").as("requests"), eb.fn.sum("refused").as("refused")])
    .where("credential_id", "=", credentialId)
    .where("hour", ">=", fromHour)
    .groupBy("service")
    .orderBy("requests", "desc")
    .orderBy("service")
    .execute();
  return rows.map((row) => ({
    service: row.service,
    requests: number(row.requests),
    refused: number(row.refused),
  }));
}

/** Returns the requests of each credential since that hour. */
export async function requestsSince(
  db: Reader,
  ids: readonly string[],
  fromHour: number,
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("credential_activity")
    .select((eb) => ["credential_id", eb.fn.sum("requests").as("requests")])
    .where("credential_id", "in", [...ids])
    .where("hour", ">=", fromHour)
    .groupBy("credential_id")
    .execute();
  return new Map(rows.map((row) => [row.credential_id, number(row.requests)]));
}

export interface AddressSum {
  readonly ip: string;
  readonly user_agent: string;
  readonly requests: number;
  readonly last_at: number;
}

/** Returns sums by address, most used first. */
export async function sumsByAddress(
  db: Reader,
  credentialId: string,
  fromHour: number,
  limit: number,
): Promise<AddressSum[]> {
  const rows = await db
    .selectFrom("credential_activity")
    .select((eb) => ["ip", "user_agent", eb.fn.sum("requests").as("requests"), eb.fn.max("last_at").as("last_at")])
    .where("credential_id", "=", credentialId)
    .where("hour", ">=", fromHour)
    .groupBy(["ip", "user_agent"])
    .orderBy("requests", "desc")
    .orderBy("ip")
    .orderBy("user_agent")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, requests: number(row.requests), last_at: number(row.last_at) }));
}

export interface ServiceSum extends Sums {
  readonly service: string;
  readonly limited: number;
}

/** Returns sums of an organization, most used first. */
export async function sumsOfOrganization(db: Reader, orgId: string, fromHour: number): Promise<ServiceSum[]> {
  const rows = await db
    .selectFrom("organization_activity")
    .select((eb) => [
      "service",
      eb.fn.sum("requests").as("requests"),
      eb.fn.sum("refused").as("refused"),
      eb.fn.sum("limited").as("limited"),
    ])
    .where("org_id", "=", orgId)
    .where("hour", ">=", fromHour)
    .groupBy("service")
    .orderBy("requests", "desc")
    .orderBy("service")
    .execute();
  return rows.map((row) => ({
    service: row.service,
    requests: number(row.requests),
    refused: number(row.refused),
    limited: number(row.limited),
  }));
}
