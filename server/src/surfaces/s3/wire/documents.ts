import { availableParallelism } from "node:os";
import { S3Error } from "#domain/s3/index.ts";
import { programUrl } from "#kernel/programs.ts";
import { ThreadRefusal, Threads } from "#kernel/threads.ts";
import { readers, type Read, type ReaderName } from "./readers.ts";
import { XmlFault } from "./xml-tree.ts";

/** Smaller documents are parsed on the event loop: handing them to a thread would cost more. */
const INLINE_BYTES_MAX = 16 * 1024;
const THREADS_MAX = 2;
const WAITING_BYTES_MAX = 128 * 1024 * 1024;
const HEAP_MIB = 256;
const IDLE_MS = 60_000;

/** Parses documents. Large ones are parsed in another thread. */
export interface DocumentReader {
  /**
   * The bytes are transferred, and must not be used afterwards.
   * @throws XmlFault, Problem `unavailable`, S3Error
   */
  read<N extends ReaderName>(name: N, bytes: Uint8Array): Promise<Read<N>>;
  close(): Promise<void>;
}

export interface DocumentRequest {
  readonly name: ReaderName;
  readonly bytes: Uint8Array;
}

export function createDocumentReader(): DocumentReader {
  const threads = new Threads<DocumentRequest, string>({
    script: programUrl("documents.worker"),
    max: Math.min(THREADS_MAX, availableParallelism()),
    waitingBytesMax: WAITING_BYTES_MAX,
    heapMiB: HEAP_MIB,
    idleMs: IDLE_MS,
  });
  return {
    read: async <N extends ReaderName>(name: N, bytes: Uint8Array) => {
      if (bytes.length < INLINE_BYTES_MAX) return readers[name](bytes) as Read<N>;
      const own = new Uint8Array(bytes);
      try {
        const text = await threads.run({ request: { name, bytes: own }, bytes: own.length, transfer: [own.buffer] });
        // Transferring one text between threads is much faster than many small objects.
        return JSON.parse(text) as Read<N>;
      } catch (error) {
        if (error instanceof ThreadRefusal) throw new XmlFault((error.refusal as { detail?: string }).detail);
        throw error instanceof RangeError ? new S3Error("MalformedXML", undefined, { cause: error }) : error;
      }
    },
    close: () => threads.close(),
  };
}
