import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A folder with logs for the tour. */
export interface LogSource {
  /** A description for people. */
  readonly name: string;
  readonly file: string;
}

/** Sample log files that may be beside the checkout. */
const BESIDE_THE_CHECKOUT = join("..", "shared", "data", "logs");
const SYSTEM_LOGS = "/var/log";
const FILES_MAX = 8;
const FILE_BYTES_MAX = 32 * 1024 * 1024;
const JOURNAL_LINES_MAX = 20_000;

/** Returns the folder from the command line, or else the samples beside the checkout, or else this machine's logs. */
export function findLogs(
  root: string,
  asked: string | null,
  temporaryDir: string,
): { from: string; sources: LogSource[] } {
  if (asked !== null) {
    const sources = textFiles(asked);
    if (sources.length === 0) throw new Error(`cannot take logs from ${asked}: it has no text file that can be read`);
    return { from: asked, sources };
  }
  const beside = join(root, BESIDE_THE_CHECKOUT);
  if (existsSync(beside)) return { from: "the sample logs beside the checkout", sources: textFiles(beside) };
  return { from: "this machine's own logs", sources: [...textFiles(SYSTEM_LOGS), ...journal(temporaryDir)] };
}

function textFiles(directory: string): LogSource[] {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch {
    return [];
  }
  return names
    .map((name) => join(directory, name))
    .filter(isText)
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
    .slice(0, FILES_MAX)
    .toSorted()
    .map((file) => ({ name: basename(file), file }));
}

/** Whether it is a regular file of moderate size without a NUL in its beginning. */
function isText(path: string): boolean {
  try {
    const { size } = statSync(path);
    if (!statSync(path).isFile() || size === 0 || size > FILE_BYTES_MAX) return false;
    const beginning = Buffer.alloc(Math.min(size, 4096));
    const file = openSync(path, "r");
    try {
      readSync(file, beginning, 0, beginning.length, 0);
    } finally {
      closeSync(file);
    }
    return !beginning.includes(0);
  } catch {
    return false; // The file belongs to another user.
  }
}

function journal(temporaryDir: string): LogSource[] {
  try {
    const args = ["--no-pager", "--quiet", "-o", "short-iso-precise", "-n", String(JOURNAL_LINES_MAX)];
    const lines = execFileSync("journalctl", args, {
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 10_000,
      maxBuffer: FILE_BYTES_MAX,
    });
    if (lines.length === 0) return [];
    const file = join(temporaryDir, "journal.log");
    writeFileSync(file, lines, { mode: 0o600 });
    return [{ name: "journal", file }];
  } catch {
    return []; // This machine has no journal.
  }
}
