import type { Reservation } from "#kernel/reservations.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import { bytesOf } from "./store.ts";

type RoomDeps = Pick<S3Deps, "metadata" | "settings" | "reservations">;

/** Reserves what content will take of the organization's quota before it is written. @throws S3Error `QuotaExceeded` */
export async function reserveRoom(deps: RoomDeps, orgId: string, bytes: number): Promise<Reservation> {
  const left = (): Promise<number> => bytesLeft(deps, deps.metadata.read, orgId);
  return deps.reservations.reserve(orgId, { left, refusal: quotaExceeded }, bytes);
}

/** The last word, in the transaction that counts: other servers reserve for themselves. @throws S3Error `QuotaExceeded` */
export async function requireRoom(
  deps: Omit<RoomDeps, "reservations">,
  tx: Writer,
  orgId: string,
  bytes: number,
): Promise<void> {
  if (deps.settings.storedBytesMax === null || bytes === 0) return;
  await deps.metadata.lock(tx, `s3_usage:${orgId}`);
  if (bytes > (await bytesLeft(deps, tx, orgId))) throw quotaExceeded();
}

/** Infinite without a quota. */
async function bytesLeft({ settings }: Pick<RoomDeps, "settings">, db: Reader, orgId: string): Promise<number> {
  const { storedBytesMax } = settings;
  return storedBytesMax === null ? Number.POSITIVE_INFINITY : storedBytesMax - (await bytesOf(db, orgId));
}

function quotaExceeded(): S3Error {
  return new S3Error("QuotaExceeded");
}
