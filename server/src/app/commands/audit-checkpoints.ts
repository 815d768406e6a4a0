import { existsSync, readFileSync } from "node:fs";
import {
  compareCheckpoints,
  isSignedByOne,
  logName,
  parseNote,
  parseVerifier,
  type Compared,
  type NoteVerifier,
  type SignedNote,
} from "#domain/audit/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { CommandError, UsageError, type Parsed } from "./command.ts";

/** A checkpoint that was kept elsewhere. Its signature is valid. */
interface Kept {
  readonly file: string;
  readonly note: SignedNote;
}

export interface ComparedFile {
  readonly file: string;
  readonly size: number;
  readonly result: Compared;
}

const RESULTS: Readonly<Record<Compared, string>> = {
  same: "the log has this entry",
  deleted: "the entry was deleted after its retention, so this note proves nothing any more",
  missing: "FAIL: the log has fewer entries",
  differs: "FAIL: this entry, or one before it, was rewritten",
};

/** Reads the notes of `--against`. @throws CommandError if one is not signed by a key of `--key` */
export function keptCheckpoints(parsed: Parsed): Kept[] {
  const files = textsOf(parsed, "against");
  const keys = textsOf(parsed, "key").flatMap(keysOf);
  if ((files.length === 0) !== (keys.length === 0)) throw new UsageError("--against and --key belong together");
  return files.map((file) => {
    try {
      const note = parseNote(readFileSync(file, "utf8"));
      if (!isSignedByOne(note, keys)) throw new Error("none of the given keys has signed it");
      return { file, note };
    } catch (error) {
      throw new CommandError(`cannot use the checkpoint ${file}: ${(error as Error).message}`);
    }
  });
}

function textsOf(parsed: Parsed, name: string): string[] {
  const value = parsed.values[name];
  return Array.isArray(value) ? value.map(String) : [];
}

function keysOf(text: string): NoteVerifier[] {
  const lines = existsSync(text) ? readFileSync(text, "utf8").split("\n") : [text];
  try {
    return lines.filter((line) => line.trim() !== "").map((line) => parseVerifier(line.trim()));
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
}

/** Compares the notes about a log with it. */
export async function compareFiles(
  metadata: MetadataStore,
  orgId: string | null,
  kept: readonly Kept[],
): Promise<ComparedFile[]> {
  const about = kept.filter(({ note }) => note.checkpoint.origin.endsWith(`/${logName(orgId)}`));
  const results = await compareCheckpoints(
    { metadata },
    orgId,
    about.map(({ note }) => note.checkpoint),
  );
  return about.map(({ file, note }, n) => ({
    file,
    size: note.checkpoint.size,
    result: results[n] ?? "missing",
  }));
}

/** @throws CommandError if a note is about none of the verified logs, for example because the whole log is missing */
export function refuseOthers(kept: readonly Kept[], compared: readonly ComparedFile[]): void {
  const other = kept.find(({ file }) => !compared.some((each) => each.file === file));
  if (other === undefined) return;
  const { origin } = other.note.checkpoint;
  throw new CommandError(`cannot compare ${other.file}: it is about ${origin}, which is none of the verified logs`);
}

export function isGood({ result }: ComparedFile): boolean {
  return result === "same" || result === "deleted";
}

export function comparedLine({ file, size, result }: ComparedFile): string {
  return `      checkpoint ${file}, entry ${size}: ${RESULTS[result]}\n`;
}
