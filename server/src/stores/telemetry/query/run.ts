import { Readable } from "node:stream";
import { Problem, type TextPosition } from "#kernel/problem.ts";
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
  readonly code: "ok" | "cancelled" | ChildProblemCode;
  readonly rows: number;
  readonly truncated: boolean;
  readonly peakBytes: number;
  /** The child must not run another query. */
  readonly doubt: boolean;
}

interface Verdict {
  readonly code: ChildProblemCode;
  readonly detail: string;
  readonly position?: TextPosition | undefined;
}

/** The child ended so soon after it got the query that it must have been ending before. */
export class LostChild extends Problem {}

/** Longer than noticing the end of a process takes, and short enough that a second attempt is cheap. */
const LOST_WITHIN_MS = 100;

/** A child that ended by one of these signals while it used much memory ran out of memory. */
const CRASHES: ReadonlySet<NodeJS.Signals> = new Set(["SIGABRT", "SIGTRAP", "SIGSEGV", "SIGILL", "SIGBUS"]);

export interface RunOptions {
  readonly query: ChildQuery;
  readonly settings: QueryEngineSettings;
  readonly signal: AbortSignal;
  /** Settles which files a statement reads; they are held until `onDone`. */
  readonly files: (ask: ChildAsk) => Promise<ChildFiles>;
  /** Called once, when the child has released the files: it is idle or has ended. */
  readonly onDone: (outcome: RunOutcome) => void;
}

/** Joins one query in a child to the stream that its caller reads. */
export class Run implements RunSink {
  readonly #child: QueryProcess;
  readonly #query: ChildQuery;
  readonly #settings: QueryEngineSettings;
  readonly #signal: AbortSignal;
  readonly #files: RunOptions["files"];
  readonly #onDone: RunOptions["onDone"];
  readonly #body: Readable;
  readonly #deadline: Deadline;
  readonly #watchdog: MemoryWatchdog;
  readonly #first = Promise.withResolvers<QueryRun>();
  readonly #startedMs = performance.now();
  #begun = false;
  #closed = false; // the body has its end or its error
  #verdict: Verdict | undefined; // why the engine killed the child
  #outcome: Omit<RunOutcome, "peakBytes"> = { code: "query_failed", rows: 0, truncated: false, doubt: true };
  #doubt = false;
  #refusal: Error | undefined; // why there are no files
  #figures = NO_FIGURES;
  readonly #statistics = Promise.withResolvers<QueryStatistics | undefined>();
  #lost = false; // the child ended, and the engine had not ended it
  #conclude: (() => void) | undefined;
  #stall: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  readonly #life: NodeJS.Timeout;

  constructor(child: QueryProcess, { query, settings, signal, files, onDone }: RunOptions) {
    this.#child = child;
    this.#query = query;
    this.#settings = settings;
    this.#signal = signal;
    this.#files = files;
    this.#onDone = onDone;
    this.#body = new Readable({
      read: () => {
        this.#flow();
      },
      destroy: (error, callback) => {
        this.#abandon();
        callback(error);
      },
    });
    this.#body.on("error", () => undefined); // told to the reader; a body that nobody reads must not end the process
    this.#life = setTimeout(() => {
      this.#body.destroy(new Error(`cannot send the result: it was not read within ${settings.resultTimeoutMs} ms`));
    }, settings.resultTimeoutMs);
    this.#deadline = new Deadline(query.timeoutMs + KILL_GRACE_MS, () => {
      this.#kill({
        code: "query_timeout",
        detail: `the query ran longer than ${query.timeoutMs} ms; ask for less, for example a shorter time range, or raise timeout_ms`,
      });
    });
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
    this.#child.run(this.#query, this);
    if (this.#signal.aborted) this.#abort();
    return this.#first.promise;
  }

  ask(ask: ChildAsk): void {
    if (this.#closed) return;
    this.#files(ask).then(
      (files) => {
        this.#figures = files.figures;
        this.#child.files(files);
      },
      (error: unknown) => {
        this.#refusal =
          error instanceof Error ? error : new Error("cannot settle the files of a query", { cause: error });
        this.#body.destroy(this.#refusal);
      },
    );
  }

  data(bytes: Buffer): void {
    if (this.#closed) return;
    this.#begin();
    if (this.#body.push(bytes)) return;
    this.#child.pause();
    this.#deadline.pause();
    this.#stall = setTimeout(() => {
      this.#body.destroy(
        new Error(`cannot send the result: nothing was taken for ${this.#settings.stallTimeoutMs} ms`),
      );
    }, this.#settings.stallTimeoutMs);
  }

  end({ rows, truncated, elapsedMs }: ChildEnd): void {
    this.#last(() => {
      this.#outcome = { code: "ok", rows, truncated, doubt: false };
      const { rows: rowsScanned, bytes: bytesScanned, files: filesScanned, filesTotal, unreadable } = this.#figures;
      const figures = { rowsScanned, bytesScanned, filesScanned, filesTotal };
      const missing = unreadable === 0 ? {} : { unreadable };
      this.#statistics.resolve({ rows, truncated, elapsedMs, ...figures, ...missing });
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
      };
      this.#giveUp({ code, detail, position }, told ? "" : undefined);
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

  /** Handles the child's last frame. It takes effect when the child is idle, so that the next query finds it idle. */
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
    this.#outcome = { ...this.#outcome, code: verdict.code };
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
   * Ends the body with an error: as an answer when nothing was sent, with `tail` when the format can express it,
   * otherwise by breaking off.
   */
  #giveUp(verdict: Verdict, tail: string | undefined): void {
    this.#close();
    const soon = this.#lost && performance.now() - this.#startedMs < LOST_WITHIN_MS;
    const problem = new (soon ? LostChild : Problem)(
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

  /** The reader asks for more. */
  #flow(): void {
    clearTimeout(this.#stall);
    if (!this.#closed) this.#deadline.resume();
    this.#child.resume();
  }

  readonly #abort = (): void => {
    const reason: unknown = this.#signal.reason;
    this.#body.destroy(reason instanceof Error ? reason : new Error("the query was cancelled"));
  };

  /** The reader disconnected, or never came: stops the child and discards its remaining output. */
  #abandon(): void {
    clearTimeout(this.#stall);
    if (this.#closed) return;
    this.#close();
    this.#outcome = { code: "cancelled", rows: 0, truncated: false, doubt: false };
    if (!this.#begun) this.#first.reject(this.#refusal ?? new Problem("query_failed", "the query was cancelled"));
    this.#grace ??= setTimeout(() => {
      this.#child.kill();
    }, KILL_GRACE_MS);
    this.#child.cancel();
    this.#child.resume();
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
    this.#statistics.resolve(undefined); // unless the end had come
    this.#signal.removeEventListener("abort", this.#abort);
  }

  #stopClocks(): void {
    this.#deadline.pause();
    this.#watchdog.stop();
    clearTimeout(this.#stall);
  }

  #finish(): void {
    this.#stopClocks();
    clearTimeout(this.#grace);
    clearTimeout(this.#life);
    this.#onDone({ ...this.#outcome, doubt: this.#doubt || this.#outcome.doubt, peakBytes: this.#watchdog.peakBytes });
  }
}
