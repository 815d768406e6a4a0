import { dirname, join } from "node:path";
import { run } from "node:test";
import { fileURLToPath } from "node:url";
import { Tally, type FileResult, type TestEvent } from "./tally.ts";

const TOGETHER = fileURLToPath(new URL("together.ts", import.meta.url));

export interface RunFileOptions {
  readonly root: string;
  /** Relative to the root; several share a process. */
  readonly paths: readonly string[];
  /** A test that takes longer fails. */
  readonly timeoutMs: number;
  /** A file that takes longer, because it leaves a timer or a socket open perhaps, is ended and fails. */
  readonly fileTimeoutMs: number;
  /** The time that is left for all files: one that would need more is ended, and what it had not done counts as skipped. */
  readonly leftMs: number;
}

/**
 * Runs one test file, or several together, in a process of its own. Never rejects because of what a file does: a crash, an
 * early exit, an open handle at the end and a file without a test are failures in the result.
 */
export async function runFile(options: RunFileOptions): Promise<FileResult> {
  const files = options.paths.map((path) => join(options.root, path));
  const isOne = files.length === 1;
  const file = isOne ? (files[0] ?? "") : TOGETHER;
  const startedMs = performance.now();
  const tally = new Tally({ suites: isOne ? [] : options.paths });
  const output: string[] = [];
  const abort = new AbortController();
  const seen = { summary: false, processFailed: false, noTest: false, timedOut: false };
  let inTime: number | undefined;
  const timer = setTimeout(
    () => {
      seen.timedOut = true;
      inTime = tally.failures.length;
      abort.abort();
    },
    Math.min(options.fileTimeoutMs, options.leftMs),
  );
  const stream = run({
    files: [file],
    argv: isOne ? [] : files,
    cwd: options.root,
    isolation: "process",
    concurrency: 1,
    timeout: options.timeoutMs,
    signal: abort.signal,
  });
  const isFileItself = (event: TestEvent): boolean => event.nesting === 0 && event.name === file;
  stream.on("test:stdout", (data: { message: string }) => output.push(data.message));
  stream.on("test:stderr", (data: { message: string }) => output.push(data.message));
  stream.on("test:diagnostic", (data: { message: string; level: string }) => {
    if (data.level !== "info") output.push(`${data.message}\n`);
  });
  stream.on("test:summary", (data: { file?: string | undefined }) => {
    if (data.file !== undefined) seen.summary = true;
  });
  stream.on("test:pass", (event: TestEvent) => {
    if (isFileItself(event)) seen.noTest = true;
    else tally.pass(event);
  });
  stream.on("test:fail", (event: TestEvent) => {
    if (isFileItself(event)) seen.processFailed = true;
    else tally.fail(event);
  });
  await drain(stream);
  clearTimeout(timer);
  if (seen.timedOut && options.leftMs < options.fileTimeoutMs) {
    tally.failures.splice(inTime ?? 0);
    tally.skips.push({ name: "the rest of it", reason: "no time was left for it" });
  } else {
    const verdict = verdictOf(seen, tally, options.fileTimeoutMs);
    if (verdict !== undefined) tally.failures.push({ name: "the file itself", detail: verdict });
  }
  const { passed, failures, skips } = tally;
  return {
    path: nameOf(options.paths),
    passed,
    failures,
    skips,
    durationMs: performance.now() - startedMs,
    output: output.join(""),
  };
}

/** As lines and failures call it. */
export function nameOf(paths: readonly string[]): string {
  const [first = ""] = paths;
  return paths.length === 1 ? first : `${dirname(first)}: ${paths.length} files`;
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const event of stream) void event;
}

/** What is wrong with the file as a whole; node:test alone would let an early `process.exit(0)` and an empty file pass. */
function verdictOf(
  seen: { summary: boolean; processFailed: boolean; noTest: boolean; timedOut: boolean },
  tally: Tally,
  limitMs: number,
): string | undefined {
  if (seen.timedOut) return `did not end within ${limitMs / 1000} s; is a timer, socket or child process left open?`;
  if (seen.processFailed && (tally.failures.length === 0 || !seen.summary))
    return "its process failed; its output says why";
  if (seen.noTest || (tally.passed === 0 && tally.failures.length === 0 && tally.skips.length === 0))
    return "ran no test: it has none, or process.exit was called before the first ended";
  if (tally.empty.length > 0) return `ran no test of ${tally.empty.join(", ")}`;
  if (!seen.summary) return "ended before its tests were done; does something call process.exit?";
  return undefined;
}
