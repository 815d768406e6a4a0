import type { Reservation } from "#kernel/reservations.ts";
import type { Context } from "./context.ts";
import type { Digests, StagedBlob } from "#stores/objects/index.ts";

/** Content in the object store that nothing refers to yet. */
export interface Staged {
  readonly content: StagedBlob;
  /** Digests of the sent bytes, before any encryption. */
  readonly digests: Digests;
}

/**
 * Reserves the quota before the first byte is written, and holds it until `keep` has counted the content or the request
 * fails. `size` is undefined if it is unknown before the end of the body. Then `stage` passes the content through
 * `reservation.admit`.
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
