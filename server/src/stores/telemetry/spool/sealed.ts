import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { SpoolOptions } from "./options.ts";
import { contentOf } from "./piece.ts";

/** A file of the spool that gets no more rows. */
export interface SealedPiece {
  readonly path: string;
  readonly bytes: number;
  /** An earlier run wrote it, so the log may have some of its rows, and a power cut may have damaged it. */
  readonly isEarlier: boolean;
  /** The groups that this run has moved. */
  readonly moved: Set<string>;
}

/** Moves the rows to the log. After a failure, the next call moves only the others. @throws Error */
export async function moveRows({ append, has, log }: SpoolOptions, piece: SealedPiece): Promise<void> {
  const { path, isEarlier, moved } = piece;
  const name = basename(path);
  const { groups, damaged } = contentOf(await readFile(path), isEarlier ? isJson : undefined);
  if (damaged > 0) log.warn({ path, lines: damaged }, "left damaged lines out of the server's own tables");
  const moves = groups.map(async (group) => {
    const key = `${group.orgId}/${group.table}`;
    if (moved.has(key) || (isEarlier && has(group, name))) return;
    await append(group, name);
    moved.add(key);
  });
  const failed = (await Promise.allSettled(moves)).find((move) => move.status === "rejected");
  if (failed !== undefined) throw new Error("cannot move rows to the log", { cause: failed.reason });
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
