import { Readable } from "node:stream";
import { Problem, type ProblemCode, type TextPosition } from "#kernel/problem.ts";
import type { QueryRun, QueryStatistics, ResultFormat } from "../types.ts";
import { Deadline } from "./deadline.ts";
import type { QueryProcess, RunSink } from "./process.ts";
import {
  NO_FIGURES,
  type ChildAsk,
  type ChildEnd,
  type ChildFailure,
  type ChildFiles,
  type ChildProblemCode,
  type ChildQuery,
} from "./protocol.ts";
import { LowerPriority } from "./priority.ts";
import { scrub } from "./scrub.ts";
import { KILL_GRACE_MS, type QueryEngineSettings } from "./settings.ts";
import { errorTail } from "./tails.ts";
import { MemoryWatchdog } from "./watchdog.ts";

const CONTENT_TYPES: Readonly<Record<ResultFormat, string>> = {
  json: "application/json",
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8; header=present",
  arrow: "application/vnd.apache.arrow.stream",
  parquet: "application/vnd.apache.parquet",
};

/** The result of a query, for the log. */
export interface RunOutcome {
  readonly code: "ok" | "cancelled" | ProblemCode;
  readonly rows: number;
  readonly truncated: boolean;
  readonly peakBytes: number;
  /** The child must not run another query. */
  readonly doubt: boolean;
  /** The child has a low priority for ever. */
  readonly isLowered: boolean;
  /** Why it failed. */
  readonly detail?: string | undefined;
  /** The child was already ending when it got the query, so another child runs it again. */
  readonly lost: boolean;
  readonly bytes: number;
  /** Milliseconds until its files were known, and how long it waited for its reader. */
  readonly planMs: number;
  readonly sendMs: number;
}

/** The part of an outcome that the end of the child decides. */
type Ending = Pick<RunOutcome, "code" | "rows" | "truncated" | "doubt" | "detail">;

interface Verdict {
  readonly code: ChildProblemCode;
  readonly detail: string;
  readonly position?: TextPosition | undefined;
}

/** Thrown when a child ended shortly after it got the query, so it was probably already ending. */
export class LostChild extends Problem {}

/** Longer than it takes to notice the end of a process, and short enough for a cheap second attempt. */
const LOST_WITHIN_MS = 100;

/** A child that used much memory and ended with one of these signals ran out of memory. */
const CRASHES: ReadonlySet<NodeJS.Signals> = new Set(["SIGABRT", "SIGTRAP", "SIGSEGV", "SIGILL", "SIGBUS"]);

export interface RunOptions {
  readonly query: ChildQuery;
  readonly settings: QueryEngineSettings;
  readonly signal: AbortSignal;
  /** Aborted, with the problem for the reader, when somebody cancels the query. */
  readonly cancelled: AbortSignal;
  /** Returns the files of a statement. They are held until `onDone`. */
  readonly files: (ask: ChildAsk) => Promise<ChildFiles>;
  /** Called once, when the child no longer uses the files: it is idle or has ended. */
  readonly onDone: (outcome: RunOutcome) => void;
  /** See `QueryRequest.ended`. */
  readonly ended?: ((statistics: QueryStatistics) => void) | undefined;
}

/** Connects one query in a child to the stream that its caller reads. */
export class Run implements RunSink {
  readonly #child: QueryProcess;
  readonly #query: ChildQuery;
  readonly #settings: QueryEngineSettings;
  readonly #signal: AbortSignal;
  readonly #cancelled: AbortSignal;
  readonly #files: RunOptions["files"];
  readonly #onDone: RunOptions["onDone"];
  readonly #ended: RunOptions["ended"];
  readonly #body: Readable;
  readonly #deadline: Deadline;
  readonly #watchdog: MemoryWatchdog;
  readonly #priority: LowerPriority;
  readonly #first = Promise.withResolvers<QueryRun>();
  readonly #startedMs = performance.now();
  #begun = false;
  #closed = false; // the body has ended or failed
  #verdict: Verdict | undefined; // why the engine killed the child
  #outcome: Ending = { code: "query_failed", rows: 0, truncated: false, doubt: true };
  #doubt = false;
  #refusal: Error | undefined; // why there are no files
  #figures = NO_FIGURES;
  #bytes = 0;
  #planMs: number | undefined;
  #sendMs = 0;
  #pausedAtMs: number | undefined;
  readonly #statistics = Promise.withResolvers<QueryStatistics | undefined>();
  #isLostSoon = false;
  #lost = false; // the child ended without the engine's request
  #conclude: (() => void) | undefined;
  #stall: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  readonly #life: NodeJS.Timeout;

  constructor(child: QueryProcess, { query, settings, signal, cancelled, files, onDone, ended }: RunOptions) {
    this.#child = child;
    this.#query = query;
    this.#settings = settings;
    this.#signal = signal;
    this.#cancelled = cancelled;
    this.#files = files;
    this.#onDone = onDone;
    this.#ended = ended;
    this.#body = new Readable({
      read: () => {
        this.#flow();
      },
      destroy: (error, callback) => {
        this.#abandon();
        callback(error);
      },
    });
    this.#body.on("error", () => undefined); // the reader gets the error; an unread body must not end the process
    this.#life = setTimeout(() => {
      this.#body.destroy(new Error(`cannot send the result: it was not read within ${settings.resultTimeoutMs} ms`));
    }, settings.resultTimeoutMs);
    this.#deadline = new Deadline(query.timeoutMs + KILL_GRACE_MS, () => {
      this.#kill({
        code: "query_timeout",
        detail: `the query ran longer than ${query.timeoutMs} ms; ask for less, for example a shorter time range, or raise timeout_ms`,
      });
    });
    this.#priority = new LowerPriority(child.pid);
    this.#watchdog = new MemoryWatchdog(child.pid, query.memoryBytesMax, () => {
      this.#kill({
        code: "query_memory",
        detail:
          "the query needs more memory than its limit; group or sort less at once, select fewer columns, or ask for a shorter time range",
      });
    });
  }

  /** Starts the query; resolves with its first bytes. */
  start(): Promise<QueryRun> {
    this.#signal.addEventListener("abort", this.#abort, { once: true });
    this.#cancelled.addEventListener("abort", this.#cancel, { once: true });
    this.#child.run(this.#query, this);
    if (this.#signal.aborted) this.#abort();
    if (this.#cancelled.aborted) this.#cancel();
    return this.#first.promise;
  }

  ask(ask: ChildAsk): void {
    if (this.#closed) return;
    this.#files(ask).then(
      (files) => {
        this.#figures = files.figures;
        this.#planMs = performance.now() - this.#startedMs;
        this.#child.files(files);
      },
      (error: unknown) => {
        this.#refusal =
          error instanceof Error ? error : new Error("cannot choose the files of a query", { cause: error });
        this.#body.destroy(this.#refusal);
      },
    );
  }

  data(bytes: Buffer): void {
    if (this.#closed) return;
    this.#begin();
    this.#bytes += bytes.length;
    if (this.#body.push(bytes) || this.#cancelled.aborted) return;
    this.#pausedAtMs = performance.now();
    this.#child.pause();
    this.#deadline.pause();
    this.#stall = setTimeout(() => {
      this.#body.destroy(
        new Error(`cannot send the result: the reader took nothing for ${this.#settings.stallTimeoutMs} ms`),
      );
    }, this.#settings.stallTimeoutMs);
  }

  end({ rows, truncated, elapsedMs }: ChildEnd): void {
    this.#last(() => {
      this.#outcome = { code: "ok", rows, truncated, doubt: false };
      const { rows: rowsScanned, bytes: bytesScanned, files: filesScanned, filesTotal, unreadable } = this.#figures;
      const figures = { rowsScanned, bytesScanned, filesScanned, filesTotal };
      const missing = unreadable === 0 ? {} : { unreadable };
      const statistics = { rows, truncated, elapsedMs, ...figures, ...missing };
      this.#ended?.(statistics);
      this.#statistics.resolve(statistics);
      this.#begin();
      this.#close();
      this.#body.push(null);
    });
  }

  fail({ code, detail, position, told, doubt }: ChildFailure): void {
    this.#last(() => {
      this.#outcome = {
        code,
        rows: 0,
        truncated: false,
        doubt: doubt || code === "query_memory" || code === "query_timeout",
        detail,
      };
      const cancelled = code === "query_cancelled" ? this.#verdict : undefined;
      this.#giveUp(cancelled ?? { code, detail, position }, told ? "" : undefined);
    });
    this.#doubt ||= doubt;
  }

  idle(): void {
    if (!this.#closed) this.#conclude?.();
    this.#finish();
  }

  gone(signal: NodeJS.Signals | null, whole: boolean): void {
    this.#doubt = true;
    if (!this.#closed) (this.#conclude ?? ((): void => this.#broken(signal, whole)))();
    this.#finish();
  }

  /** Handles the child's last frame. It takes effect when the child is idle, so that the next query finds an idle child. */
  #last(conclude: () => void): void {
    this.#stopClocks();
    this.#conclude = conclude;
    this.#grace ??= setTimeout(() => {
      this.#child.kill();
    }, KILL_GRACE_MS);
  }

  #broken(signal: NodeJS.Signals | null, whole: boolean): void {
    this.#lost = this.#verdict === undefined;
    const verdict = this.#verdict ?? this.#diagnose(signal);
    this.#outcome = { ...this.#outcome, code: verdict.code, detail: verdict.detail };
    const trailer = {
      rows: null,
      truncated: true,
      elapsedMs: performance.now() - this.#startedMs,
      figures: this.#figures,
      error: verdict,
    };
    this.#giveUp(verdict, whole ? errorTail(this.#query.format, trailer) : undefined);
  }

  /**
   * Ends the body with an error. If nothing was sent, the error is the answer. Otherwise `tail` ends the body, or the body
   * breaks off if its format has no tail.
   */
  #giveUp(verdict: Verdict, tail: string | undefined): void {
    this.#close();
    this.#isLostSoon = this.#lost && performance.now() - this.#startedMs < LOST_WITHIN_MS;
    const problem = new (this.#isLostSoon ? LostChild : Problem)(
      verdict.code,
      scrub(verdict.detail, { directories: [this.#settings.telemetryDir], orgId: this.#query.orgId }),
      verdict.position === undefined ? {} : { position: verdict.position },
    );
    if (!this.#begun) {
      this.#first.reject(problem);
      this.#body.destroy();
    } else if (tail === undefined) this.#body.destroy(problem);
    else {
      if (tail !== "") this.#body.push(tail);
      this.#body.push(null);
    }
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#first.resolve({
      contentType: CONTENT_TYPES[this.#query.format],
      body: this.#body,
      statistics: this.#statistics.promise,
    });
  }

  /** Called when the reader asks for more. */
  #flow(): void {
    clearTimeout(this.#stall);
    this.#sendMs += performance.now() - (this.#pausedAtMs ?? performance.now());
    this.#pausedAtMs = undefined;
    if (!this.#closed) this.#deadline.resume();
    this.#child.resume();
  }

  readonly #abort = (): void => {
    const reason: unknown = this.#signal.reason;
    this.#body.destroy(reason instanceof Error ? reason : new Error("the query was cancelled"));
  };

  /** Stops the child. The reader is still there, and gets the reason as for any other failure. */
  readonly #cancel = (): void => {
    if (this.#closed) return;
    const { message } = this.#cancelled.reason as Problem;
    this.#verdict ??= { code: "query_cancelled", detail: message };
    this.#stop();
    this.#child.resume(); // its last frames come also if the reader takes nothing
  };

  /** Stops the child and discards its output after the reader has disconnected. */
  #abandon(): void {
    clearTimeout(this.#stall);
    if (this.#closed) return;
    this.#close();
    const refusal = this.#refusal instanceof Problem ? this.#refusal : undefined;
    const code = refusal?.code ?? "cancelled";
    this.#outcome = { code, rows: 0, truncated: false, doubt: false, detail: refusal?.message };
    if (!this.#begun) this.#first.reject(this.#refusal ?? new Problem("query_failed", "the query was cancelled"));
    this.#stop();
    this.#child.resume();
  }

  #stop(): void {
    this.#grace ??= setTimeout(() => {
      this.#child.kill();
    }, KILL_GRACE_MS);
    this.#child.cancel();
  }

  #kill(verdict: Verdict): void {
    this.#verdict ??= verdict;
    this.#child.kill();
  }

  #diagnose(signal: NodeJS.Signals | null): Verdict {
    if (signal !== null && CRASHES.has(signal) && this.#watchdog.peakBytes > this.#query.memoryBytesMax / 2) {
      return {
        code: "query_memory",
        detail:
          "the query ended for lack of memory; group or sort less at once, select fewer columns, or ask for a shorter time range",
      };
    }
    return {
      code: "query_failed",
      detail:
        "the process that ran the query ended unexpectedly; try again, and write the statement in another way if it happens again",
    };
  }

  #close(): void {
    this.#closed = true;
    this.#statistics.resolve(undefined); // no effect if the query has ended normally
    this.#signal.removeEventListener("abort", this.#abort);
    this.#cancelled.removeEventListener("abort", this.#cancel);
  }

  #stopClocks(): void {
    this.#deadline.pause();
    this.#watchdog.stop();
    this.#priority.stop();
    clearTimeout(this.#stall);
  }

  #finish(): void {
    this.#stopClocks();
    clearTimeout(this.#grace);
    clearTimeout(this.#life);
    this.#onDone({
      ...this.#outcome,
      doubt: this.#doubt || this.#outcome.doubt,
      isLowered: this.#priority.isLowered,
      peakBytes: this.#watchdog.peakBytes,
      lost: this.#isLostSoon && !this.#begun,
      bytes: this.#bytes,
      planMs: this.#planMs ?? performance.now() - this.#startedMs,
      sendMs: this.#sendMs,
    });
  }
}
