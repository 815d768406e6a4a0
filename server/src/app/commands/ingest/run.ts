import { createReadStream, fstatSync, openSync } from "node:fs";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { OnNoTime, Zone } from "#domain/telemetry/text/index.ts";
import { INGEST_ENTRIES_MAX, INGEST_ENTRY_BYTES_MAX } from "#kernel/limits.ts";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import type { Client } from "@mooring/client";
import { CommandError, ExitCode } from "../command.ts";
import {
  createJsonReader,
  createTextReader,
  type Additions,
  type BadLine,
  type EntryReader,
  type EntrySink,
  type LeftOutWhy,
  type LineCounts,
  type ReadyEntry,
  type TelemetryKind,
} from "./entries.ts";
import { linesOf } from "./lines.ts";
import { createProgress, type ProgressState } from "./progress.ts";
import { createSender, type Sender } from "./sender.ts";

export interface IngestPlan {
  readonly kind: TelemetryKind;
  readonly project: string | undefined;
  /** Path, or `-` for standard input. */
  readonly file: string;
  readonly format: "json" | "text";
  readonly additions: Additions;
  readonly zone: Zone;
  readonly year: number | undefined;
  readonly pattern: string | undefined;
  readonly timeFormat: string | undefined;
  readonly onNoTime: OnNoTime | undefined;
  readonly strict: boolean;
  readonly parallel: number;
  readonly retryForMs: number;
}

/** Every line counts in one of `accepted`, `refused`, `joined` and `blank`. */
export interface IngestSummary extends LineCounts {
  accepted: number;
  refused: number;
  lines: number;
  /** The number of refused lines for each reason. */
  reasons: Partial<Record<LeftOutWhy, number>>;
  elapsed_ms: number;
}

/** The server accepts bodies of 10 MiB. Smaller ones keep memory and the cost of a retry low. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024;
/** A batch that is not full is sent after this time, so that `tail -f | mooring ingest logs -` has little delay. */
const LINGER_MS = 1000;
const BAD_LINES_SHOWN_MAX = 20;

/**
 * Reads, converts and sends the input. Resolves when everything that was read has an answer.
 * @throws CommandError, ApiError, UnreachableError
 */
export async function runIngest(
  plan: IngestPlan,
  client: Client,
  clock: Clock,
  interrupted: AbortSignal,
): Promise<IngestSummary> {
  const startedMs = clock.nowMs();
  const input = openInput(plan.file);
  const state: ProgressState = { bytesRead: 0, bytesTotal: input.bytesTotal, accepted: 0, refused: 0 };
  const progress = createProgress(process.stderr, state, clock);
  const stop = new AbortController();
  const bad = badLines(plan, state, (text) => progress.note(text));
  const sender = createSender({
    client,
    kind: plan.kind,
    project: plan.project,
    strict: plan.strict,
    parallel: plan.parallel,
    retryForMs: plan.retryForMs,
    clock,
    signal: stop.signal,
    accepted: (count) => {
      state.accepted += count;
      progress.update();
    },
    refused: (count, lines) => bad.refused(count, lines),
    retrying: (reason, waitMs) => progress.note(`${reason}; retrying in ${Math.ceil(waitMs / 100) / 10} s`),
  });
  const batches = createBatches(sender);
  const reader = readerOf(plan, input.lastWrittenMs, clock, {
    entry: (entry) => batches.add(entry),
    bad: (line) => bad.refused(1, [line]),
  });
  const linger = lingering(reader, batches, state);
  let lines = 0;
  try {
    const end = interruptible(input.stream, interrupted);
    for await (const some of linesOf(counted(end, state), { lineBytesMax: INGEST_ENTRY_BYTES_MAX })) {
      lines += some.length;
      for (const line of some) {
        reader.read(line);
        if (batches.ready()) await batches.send();
      }
      progress.update();
    }
    reader.flush();
    await batches.send();
    await sender.finish();
  } catch (error) {
    stop.abort();
    throw withProgress(error, state);
  } finally {
    clearInterval(linger);
    progress.end();
    bad.close();
  }
  const { accepted, refused } = state;
  const { blank, joined, time_from_arrival, time_from_previous } = reader.counts;
  const counts = { accepted, refused, lines, blank, joined, time_from_arrival, time_from_previous };
  return { ...counts, reasons: bad.reasons, elapsed_ms: clock.nowMs() - startedMs };
}

function readerOf(plan: IngestPlan, lastWrittenMs: number | null, clock: Clock, sink: EntrySink): EntryReader {
  if (plan.format === "json") return createJsonReader(plan.kind, plan.additions, sink);
  const times = { latestMs: () => lastWrittenMs ?? clock.nowMs(), nowIso: () => isoFromMs(clock.nowMs()) };
  return createTextReader({ ...plan, ...times }, plan.additions, sink);
}

interface Input {
  readonly stream: Readable;
  readonly bytesTotal: number | null;
  readonly lastWrittenMs: number | null;
}

function openInput(file: string): Input {
  if (file === "-") return { stream: process.stdin, bytesTotal: null, lastWrittenMs: null };
  try {
    const fd = openSync(file, "r");
    const stat = fstatSync(fd);
    if (stat.isDirectory()) throw new Error("it is a directory");
    const bytesTotal = stat.isFile() && !file.endsWith(".gz") ? stat.size : null;
    const raw = createReadStream(file, { fd, highWaterMark: 256 * 1024 });
    const stream: Readable = file.endsWith(".gz") ? pipeline(raw, createGunzip(), () => {}) : raw;
    return { stream, bytesTotal, lastWrittenMs: stat.mtimeMs };
  } catch (error) {
    throw new CommandError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

async function* counted(source: AsyncIterable<Buffer>, state: ProgressState): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of source) {
    state.bytesRead += chunk.length;
    yield chunk;
  }
}

/** Ends the input without an error when the signal comes: entries that were read are still sent and counted. */
async function* interruptible(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
  const end = (): void => void stream.destroy();
  signal.addEventListener("abort", end, { once: true });
  try {
    if (!signal.aborted) yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

interface Batches {
  add(entry: ReadyEntry): void;
  ready(): boolean;
  send(): Promise<void>;
}

/** Collects entries until a batch is full by count or bytes. */
function createBatches(sender: Sender): Batches {
  let entries: ReadyEntry[] = [];
  let bytes = 0;
  const send = async (): Promise<void> => {
    if (entries.length === 0) return;
    const batch = { entries };
    entries = [];
    bytes = 0;
    await sender.submit(batch);
  };
  return {
    add: (entry) => {
      entries.push(entry);
      bytes += Buffer.byteLength(entry.json) + 1;
    },
    ready: () => entries.length >= INGEST_ENTRIES_MAX || bytes >= BATCH_BYTES_MAX,
    send,
  };
}

/** Sends waiting entries at intervals. Without new input, this includes the line that could still be continued. */
function lingering(reader: EntryReader, batches: Batches, state: ProgressState): NodeJS.Timeout {
  let seenBytes = 0;
  return setInterval(() => {
    if (state.bytesRead === seenBytes) reader.flush();
    seenBytes = state.bytesRead;
    // The next call of `submit` or `finish` reports a failure.
    batches.send().catch(() => {});
  }, LINGER_MS);
}

interface BadLines {
  readonly reasons: Partial<Record<LeftOutWhy, number>>;
  refused(count: number, lines: readonly BadLine[]): void;
  /** Prints the number of lines that were not shown. */
  close(): void;
}

function badLines(plan: IngestPlan, state: ProgressState, note: (text: string) => void): BadLines {
  let shown = 0;
  const name = plan.file === "-" ? "stdin" : plan.file;
  const reasons: BadLines["reasons"] = {};
  return {
    reasons,
    refused: (count, lines) => {
      state.refused += count;
      // The server counts all refused entries, but lists only the first ones.
      const why = lines[0]?.why ?? "refused_by_server";
      reasons[why] = (reasons[why] ?? 0) + count;
      for (const { line, reason } of lines) {
        if (plan.strict)
          throw new CommandError(`cannot send ${name}:${line}: ${reason}; nothing after it was read (--strict)`);
        if (shown < BAD_LINES_SHOWN_MAX) note(`${name}:${line}: ${reason}`);
        shown += shown < BAD_LINES_SHOWN_MAX ? 1 : 0;
      }
    },
    close: () => {
      if (state.refused > shown) note(`… and ${state.refused - shown} more lines were left out`);
    },
  };
}

/**
 * Adds the number of accepted entries to the message. They stay accepted after the failure and must not be sent again.
 */
function withProgress(error: unknown, state: ProgressState): unknown {
  if (!(error instanceof Error)) return new CommandError(String(error), ExitCode.failed);
  if (state.accepted > 0) error.message += `\n${state.accepted} entries had been accepted before.`;
  return error;
}
