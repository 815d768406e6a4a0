import { join } from "node:path";
import { run } from "node:test";
import { fileURLToPath } from "node:url";
import { Tally, type FileResult, type TestEvent } from "./tally.ts";

const TOGETHER = fileURLToPath(new URL("together.ts", import.meta.url));
const UNTRACKED_PROMISES = new URL("untracked-promises.ts", import.meta.url).href;

export interface RunOptions {
  readonly root: string;
  /** Relative to the root. The files share one process. */
  readonly paths: readonly string[];
  /** The limit of one test. */
  readonly timeoutMs: number;
  /** The limit of one file. A file that leaves a timer or a socket open is ended and fails. */
  readonly fileTimeoutMs: number;
  /** The time left for all files. A process that needs more is ended, and its remaining tests count as skipped. */
  readonly leftMs: number;
}

/** The exit and the output of a process. */
interface Seen {
  summary: boolean;
  processFailed: boolean;
  noTest: boolean;
  timedOut: boolean;
  outOfTime: boolean;
}

/**
 * Runs test files in one process. If that process ends early, the current file runs alone, and then the remaining ones.
 * Never rejects because of a test file: a crash, an early exit, an open handle at the end and a file without a test are
 * failures in its result.
 */
export async function runFiles(options: RunOptions): Promise<FileResult[]> {
  const startedMs = performance.now();
  const { tally, verdict } = await runProcess(options);
  const done = tally.results();
  const [atHand, ...rest] = options.paths.slice(done.length);
  if (atHand === undefined) return done;
  const left = (): RunOptions => ({ ...options, leftMs: options.leftMs - (performance.now() - startedMs) });
  const alone = await runInTime({ ...left(), paths: [atHand] });
  const blamed = alone.map((result) => {
    if (result.failures.length > 0 || result.skips.length > 0) return result;
    const detail = `beside others: ${verdict}; alone it passes`;
    return { ...result, failures: [{ name: "the file itself", detail }] };
  });
  return [...done, ...blamed, ...(await runInTime({ ...left(), paths: rest }))];
}

async function runInTime(options: RunOptions): Promise<FileResult[]> {
  if (options.paths.length === 0) return [];
  return options.leftMs > 0 ? runFiles(options) : options.paths.map(withoutTime);
}

/** Returns the result of a file that did not run in time. */
export function withoutTime(path: string): FileResult {
  const skip = { name: "the file itself", reason: "no time was left for it" };
  return { path, passed: 0, failures: [], skips: [skip], durationMs: 0, output: "" };
}

/** @returns the results of the finished files in order, and the fault of the whole process, if there is one */
async function runProcess(options: RunOptions): Promise<{ tally: Tally; verdict: string | undefined }> {
  const { root, paths, timeoutMs } = options;
  const files = paths.map((path) => join(root, path));
  const isOne = files.length === 1;
  const seen: Seen = { summary: false, processFailed: false, noTest: false, timedOut: false, outOfTime: false };
  const abort = new AbortController();
  const end = (isOutOfTime: boolean): void => {
    seen.timedOut = !isOutOfTime;
    seen.outOfTime = isOutOfTime;
    tally.stop();
    abort.abort();
  };
  // `refresh` would start a cleared timer again. So the timer must not keep the runner alive: the test's process does.
  const fileTimer = setTimeout(() => end(false), options.fileTimeoutMs).unref();
  const leftTimer = options.leftMs === Infinity ? undefined : setTimeout(() => end(true), options.leftMs);
  const tally = new Tally(paths, () => void fileTimer.refresh());
  const file = isOne ? (files[0] ?? "") : TOGETHER;
  const stream = run({
    files: [file],
    argv: isOne ? [] : files,
    execArgv: isOne ? [] : ["--import", UNTRACKED_PROMISES],
    cwd: root,
    isolation: "process",
    concurrency: 1,
    timeout: timeoutMs,
    signal: abort.signal,
  });
  listen(stream, { file, tally, seen });
  for await (const event of stream) void event;
  clearTimeout(fileTimer);
  clearTimeout(leftTimer);
  if (seen.outOfTime) {
    tally.skipRest("no time was left for it");
    return { tally, verdict: undefined };
  }
  const verdict = verdictOf(seen, tally, options.fileTimeoutMs);
  tally.end(verdict);
  return { tally, verdict };
}

function listen(
  stream: ReturnType<typeof run>,
  { file, tally, seen }: { file: string; tally: Tally; seen: Seen },
): void {
  const isFileItself = (event: TestEvent): boolean => event.nesting === 0 && event.name === file;
  stream.on("test:stdout", (data: { message: string }) => tally.print(data.message));
  stream.on("test:stderr", (data: { message: string }) => tally.print(data.message));
  stream.on("test:diagnostic", (data: { message: string; level: string }) => {
    if (data.level !== "info") tally.print(`${data.message}\n`);
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
}

/**
 * Returns the fault of the whole process. node:test alone would accept an early `process.exit(0)` and an empty file.
 */
function verdictOf(seen: Seen, tally: Tally, limitMs: number): string | undefined {
  if (seen.timedOut) return `did not end within ${limitMs / 1000} s; is a timer, socket or child process left open?`;
  if (seen.processFailed && (!tally.hasFailed || !seen.summary)) return "its process failed; its output says why";
  if (seen.noTest || tally.isEmpty)
    return "ran no test: it has none, or process.exit was called before the first ended";
  if (!seen.summary) return "ended before its tests were done; does something call process.exit?";
  return undefined;
}
