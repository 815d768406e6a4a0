import { createHash } from "node:crypto";
import { newId } from "#kernel/ids.ts";
import type { Digests } from "./digests.ts";
import type { Arrival, BlobDriver, DirectDriver, DownloadAs } from "./driver.ts";
import { DigestMismatch } from "./errors.ts";
import { beginBlob, dropStaged, forget, liveBlob } from "./records.ts";
import type { DirectStore, StagedBlob } from "./types.ts";
import type { WriteParts } from "./write.ts";

type Parts = Omit<WriteParts, "inlineBytesMax">;

const BUFFER_BYTES = 1024 * 1024;

/** Returns null if clients cannot reach the store. */
export function directStoreOf(parts: Parts): DirectStore | null {
  const { metadata, driver } = parts;
  const { direct } = driver;
  if (direct === null) return null;
  return {
    uploadUrl: (at, allowed) => direct.uploadUrl(at, allowed),
    downloadUrl: async (orgId: string, blobId: string, as: DownloadAs) => {
      const blob = await liveBlob(metadata.read, orgId, blobId);
      const isWhole = blob?.place === "driver" && blob.store_id === driver.storeId;
      return isWhole ? direct.downloadUrl(blobId, as) : null;
    },
    arrivals: (orgId) => direct.arrivals(orgId),
    arrival: (at) => direct.arrival(at),
    take: (arrival, expected) => take(parts, direct, arrival, expected),
    forget: (at) => direct.forget(at),
  };
}

/** Copies new content to a blob. As in a write, the records name the blob before anything is stored under its name. */
async function take(
  parts: Parts,
  direct: DirectDriver,
  arrival: Arrival,
  expected: Pick<Digests, "sha256">,
): Promise<StagedBlob | undefined> {
  const { metadata, driver, clock, pins } = parts;
  const { orgId, size } = arrival;
  const id = newId("blob", clock.nowMs());
  const unpin = pins.add(id);
  try {
    await beginBlob(metadata, { id, orgId, storeId: driver.storeId }, clock.nowMs());
    const copied = await direct.copy(arrival, id);
    const sha256 = copied === null ? await digestOf(driver, id, size) : copied;
    if (sha256 !== undefined) return staged({ id, orgId, size, sha256 }, expected);
    await deleteUnfinished(parts, { id, orgId });
    return undefined;
  } catch (error) {
    // After another error the copy may still be running. The collector deletes its result after the grace period.
    if (error instanceof DigestMismatch) await deleteUnfinished(parts, { id, orgId }).catch(() => {});
    throw error;
  } finally {
    unpin();
  }
}

function staged(
  blob: Pick<StagedBlob, "id" | "orgId" | "size" | "sha256">,
  expected: Pick<Digests, "sha256">,
): StagedBlob {
  const wanted = expected.sha256;
  if (wanted !== undefined && wanted !== blob.sha256) throw new DigestMismatch("sha256", wanted, blob.sha256);
  return { ...blob, digests: { sha256: blob.sha256 }, data: null };
}

/** Computes the SHA-256 if the store has not. Reads the copy, because a client could still change the original. */
async function digestOf(driver: BlobDriver, id: string, size: number): Promise<string> {
  const hash = createHash("sha256");
  const source = await driver.open(id, { size, start: 0, length: size });
  try {
    const buffer = Buffer.allocUnsafe(Math.min(BUFFER_BYTES, Math.max(1, size)));
    for (let bytes = await source.read(buffer); bytes > 0; bytes = await source.read(buffer))
      hash.update(buffer.subarray(0, bytes));
  } finally {
    await source.close();
  }
  return hash.digest("hex");
}

async function deleteUnfinished({ metadata, driver }: Parts, blob: { id: string; orgId: string }): Promise<void> {
  if (!(await metadata.write((tx) => dropStaged(tx, blob)))) return;
  const deleted = await driver.delete([{ id: blob.id, complete: true }]);
  await metadata.write((tx) => forget(tx, deleted));
}
