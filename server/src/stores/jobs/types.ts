import type { Writer } from "#stores/metadata/index.ts";

/** Durable work for later. */
export interface NewJob {
  readonly kind: string;
  /** Unique within the kind. */
  readonly key: string;
  /** Usually an organization's id. Jobs of one group use at most their share of a node's places. */
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
  readonly dueAtMs: number;
  /** Consecutive failed runs before this one. */
  readonly attempts: number;
  /**
   * The fence of the job's row during this run. Rows that change together with the job must be read together with it.
   */
  readonly fence: number;
  /** Aborted when the lease is lost, or the process stops. */
  readonly signal: AbortSignal;
}

/**
 * The result of a run: when the job is due again, or null when it is done. `commit` runs in the transaction that ends
 * the run. That transaction fails when another node has taken over the job, so `commit` takes effect once for each
 * finished run.
 */
export interface JobOutcome {
  readonly dueAtMs: number | null;
  commit?(tx: Writer): Promise<void>;
}

export interface JobHandler {
  readonly kind: string;
  /** The most jobs of this kind that run at once on this node. */
  readonly concurrency: number;
  /** The most jobs of one group that run at once on this node. */
  readonly concurrencyPerGroup: number;
  /**
   * The interval of each job, shown in the list of periodic work. Absent when the jobs do not repeat, or have different
   * intervals.
   */
  readonly everyMs?: number;
  /**
   * The longest time in milliseconds that a job of this kind may wait. A job that would wait longer was due by a wrong
   * clock, and becomes due at once.
   */
  readonly waitMsMax?: number;
  /**
   * Whether the jobs of a group must wait now, for example while its organization is suspended. They are due again after
   * some minutes, or when `wakeGroup` wakes them.
   */
  waits?(group: string): Promise<boolean>;
  /**
   * May run more than once for one due time, since a process can end between its work and the commit. A rejection is
   * retried after `retryMs(attempts)`. When that returns null, the job is deleted.
   */
  run(job: Job): Promise<JobOutcome>;
  retryMs(attempts: number): number | null;
}

/** Durable background jobs in the records. Any number of nodes share them, and each job runs on one node at a time. */
export interface Jobs {
  /**
   * Adds a job in the caller's transaction, or changes the job of that kind and key. A run of it under way can no
   * longer finish, and on this node it ends before the next run begins. Each kind and key may occur once in `jobs`.
   */
  put(tx: Writer, ...jobs: readonly NewJob[]): Promise<void>;
  remove(tx: Writer, kind: string, key: string): Promise<void>;
  /** Makes waiting jobs due now. A running job is not changed, since it checks itself for more work. */
  wake(tx: Writer, kind: string, keys: readonly string[]): Promise<void>;
  /** Starts to run jobs of these kinds, in addition to the kinds that it runs already. */
  start(handlers: readonly JobHandler[]): void;
  /** Stops the runs under way and gives up their leases. */
  stop(): Promise<void>;
}
