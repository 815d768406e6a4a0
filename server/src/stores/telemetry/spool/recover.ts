import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SpoolOptions } from "./options.ts";
import { contentOf, headerOf } from "./piece.ts";
import { isJson, type SealedPiece } from "./sealed.ts";

/** The time for which rows may be missing, because the machine stopped before they were flushed. */
export interface Gap {
  /** The last flush, in milliseconds since the epoch. */
  readonly fromMs: number;
  /** When the server started again. */
  readonly toMs: number;
  /** No more rows than this are missing. */
  readonly rowsMax: number;
}

export interface Recovered {
  /** The files of earlier runs, the oldest first. */
  readonly pieces: readonly SealedPiece[];
  readonly gap: Gap | undefined;
  /** No row of these runs has a larger number. */
  readonly throughSeq: number;
}

/**
 * Finds the files of earlier runs. There is a gap when the machine stopped while the spool was open. A process that was killed
 * leaves no gap, because the operating system had its rows.
 */
export async function recoverPieces({ dir, boot, clock }: SpoolOptions): Promise<Recovered> {
  const names = (await readdir(dir)).filter((name) => name.endsWith(".rows")).toSorted();
  const found = await Promise.all(names.map((name) => readPiece(join(dir, name))));
  const pieces = found.map(({ piece }) => piece);
  const headers = found.map(({ header }) => header).filter((header) => header !== undefined);
  const last = headers.at(-1);
  const throughSeq = last?.reservedSeq ?? 0;
  if (last === undefined || last.isClosed || (last.boot !== null && last.boot === boot))
    return { pieces, gap: undefined, throughSeq };
  const rows = found.reduce((sum, piece) => sum + piece.rows, 0);
  const firstSeq = Math.min(...headers.map((header) => header.firstSeq));
  const rowsMax = Math.max(0, last.reservedSeq - firstSeq - rows);
  return { pieces, gap: { fromMs: last.flushedMs, toMs: clock.nowMs(), rowsMax }, throughSeq };
}

async function readPiece(path: string) {
  const bytes = await readFile(path);
  const piece: SealedPiece = { path, bytes: bytes.length, isEarlier: true, moved: new Set() };
  return { piece, header: headerOf(bytes), rows: contentOf(bytes, isJson).rows };
}
