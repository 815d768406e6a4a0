import type { Writer } from "#stores/metadata/index.ts";

/** Durable work for later: what it is about, and when it is due. */
export interface NewJob {
  readonly kind: string;
  /** Unique within the kind. */
  readonly key: string;
  /** Jobs of one group take at most their share of a node's places; an organization's id. */
  readonly group: string;
  /** JSON value for the handler. */
  readonly payload?: unknown;
  readonly dueAtMs: number;
}

/** A job that runs under a lease of this process. */
export interface Job {
  readonly kind: string;
  readonly key: string;
  readonly group: string;
  readonly payload: unknown;
  /** When it was due. */
  readonly dueAtMs: number;
  /** Runs that failed since the last one that did not. */
  readonly attempts: number;
  /**
   * The fence of the job's row while this run has it: rows that change together with the job are read together with it.
   */
  readonly fence: number;
  /** Aborted when the lease is lost, or the process stops. */
  readonly signal: AbortSignal;
}

/**
 * The result of a run: when the job is due again, or null when it is done. `commit` runs in the transaction that ends
 * the run, which fails as a whole when another node has taken the job over: so it is committed once for each finished
 * run.
 */
export interface JobOutcome {
  readonly dueAtMs: number | null;
  commit?(tx: Writer): Promise<void>;
}

/** Runs jobs of one kind. */
export interface JobHandler {
  readonly kind: string;
  /** Jobs of this kind that run at once on this node. */
  readonly concurrency: number;
  /** Jobs of one group that run at once on this node. */
  readonly concurrencyPerGroup: number;
  /** How often each job repeats, for the list of periodic work; absent where they do not, or each has its own interval. */
  readonly everyMs?: number;
  /** No job of this kind ever waits longer, in milliseconds: one that would was put by a clock that was wrong, and is due at once. */
  readonly waitMsMax?: number;
  /**
   * May run more than once for one due time: a process can end between its work and the commit. A rejection is tried again
   * after `retryMs(attempts)`; null gives the job up, and it is removed.
   */
  run(job: Job): Promise<JobOutcome>;
  retryMs(attempts: number): number | null;
}

/** Durable background work on the records: any number of nodes share it, and each job runs on one of them at a time. */
export interface Jobs {
  /**
   * Adds a job in the caller's transaction, or changes the one of that kind and key: a run in progress can't finish any
   * more. On this node it has ended before the next begins. No two of several may have the same kind and key.
   */
  put(tx: Writer, ...jobs: readonly NewJob[]): Promise<void>;
  remove(tx: Writer, kind: string, key: string): Promise<void>;
  /** Makes jobs that wait due now. One that runs is left alone: it looks itself for what there is to do. */
  wake(tx: Writer, kind: string, keys: readonly string[]): Promise<void>;
  /** Begins to run jobs of these kinds, beside those that it runs already. */
  start(handlers: readonly JobHandler[]): void;
  /** Ends the runs under way and gives their jobs back. */
  stop(): Promise<void>;
}
