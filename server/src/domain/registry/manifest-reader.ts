import { availableParallelism } from "node:os";
import { programUrl } from "#kernel/programs.ts";
import { ThreadRefusal, Threads } from "#kernel/threads.ts";
import { RegistryError, type RegistryErrorCode } from "./errors.ts";
import { readManifest, type ReadManifest, type ManifestRequest } from "./manifest.ts";

/** Smaller manifests are read in this thread, because a transfer would cost as much. Nearly all are smaller. */
const INLINE_BYTES_MAX = 16 * 1024;
const THREADS_MAX = 2;
const WAITING_BYTES_MAX = 128 * 1024 * 1024;
const HEAP_MIB = 256;
const IDLE_MS = 60_000;

/** Reads manifests without blocking the event loop. */
export interface ManifestReader {
  /**
   * Reads a manifest. The bytes are transferred to the reader, and come back in the result.
   * @throws RegistryError `DIGEST_INVALID`, `MANIFEST_INVALID`; Problem `unavailable`
   */
  read(request: ManifestRequest): Promise<ReadManifest>;
  close(): Promise<void>;
}

export function createManifestReader(): ManifestReader {
  const threads = new Threads<ManifestRequest, ReadManifest>({
    script: programUrl("manifest.worker"),
    max: Math.min(THREADS_MAX, availableParallelism()),
    waitingBytesMax: WAITING_BYTES_MAX,
    heapMiB: HEAP_MIB,
    idleMs: IDLE_MS,
  });
  return {
    read: async (request) => {
      if (request.bytes.length < INLINE_BYTES_MAX) return readManifest(request);
      const own = ownedBytes(request.bytes);
      try {
        const job = { ...request, bytes: own };
        return await threads.run({ request: job, bytes: own.length, transfer: [own.buffer] });
      } catch (error) {
        if (!(error instanceof ThreadRefusal)) throw error;
        const { code, message } = error.refusal as { code: RegistryErrorCode; message: string };
        throw new RegistryError(code, message);
      }
    },
    close: () => threads.close(),
  };
}

/** Returns bytes in their own memory, so that they can be transferred. */
function ownedBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  const isAlone = buffer.byteLength === byteLength;
  return isAlone ? new Uint8Array(buffer, byteOffset, byteLength) : new Uint8Array(bytes);
}
