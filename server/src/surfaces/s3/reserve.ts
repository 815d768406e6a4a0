import type { Reservation } from "#kernel/reservations.ts";
import type { Context } from "./context.ts";
import type { Digests, StagedBlob } from "#stores/objects/index.ts";

/** Content that is in the object store and held by nothing yet. */
export interface Staged {
  readonly content: StagedBlob;
  /** Digests of the bytes as they were sent, before any encryption. */
  readonly digests: Digests;
}

/**
 * Reserves the quota for content before a byte of it is written, until `keep` has counted it, or the request is refused or breaks off.
 * `size`: undefined where only the end of the body tells; `stage` takes such content through `reservation.admit`.
 * @throws S3Error `QuotaExceeded`
 */
export async function keepReserved<T>(
  { deps, bucket }: Pick<Context, "deps" | "bucket">,
  size: number | undefined,
  stage: (reservation: Reservation) => Promise<Staged>,
  keep: (staged: Staged) => Promise<T>,
): Promise<T> {
  return deps.domain.objects.reserve(bucket, size ?? 0, async (reservation) => {
    const staged = await stage(reservation);
    return reservation.settle(() => keep(staged));
  });
}
