import type { Reservation } from "#kernel/reservations.ts";
import type { Context } from "./context.ts";
import type { Digests, StagedBlob } from "#stores/objects/index.ts";

/** Content that is in the object store and held by nothing yet. */
export interface Staged {
  readonly content: StagedBlob;
  /** Of the bytes as they were sent, whatever was made of them. */
  readonly digests: Digests;
}

/**
 * Reserves room for content before a byte of it is written, and holds it until `keep` has counted it, or it is refused or breaks off.
 * `size`: undefined when only its end tells; `stage` takes such content through `room.admit`.
 * @throws S3Error `QuotaExceeded`
 */
export async function keepInRoom<T>(
  { deps, bucket }: Pick<Context, "deps" | "bucket">,
  size: number | undefined,
  stage: (room: Reservation) => Promise<Staged>,
  keep: (staged: Staged) => Promise<T>,
): Promise<T> {
  const room = await deps.domain.objects.reserve(bucket, size ?? 0);
  try {
    const staged = await stage(room);
    return await room.settle(() => keep(staged));
  } finally {
    room.release();
  }
}
