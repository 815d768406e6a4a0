import { setImmediate } from "node:timers/promises";
import { QueryProcess } from "./process.ts";
import type { Sandbox } from "./sandbox.ts";
import type { QueryEngineSettings, QueryLog } from "./settings.ts";

/** The children: busy, idle for an organization, and spare ones that have not served any organization. */
export class ProcessPool {
  readonly #sandbox: Sandbox;
  readonly #settings: QueryEngineSettings;
  readonly #log: QueryLog;
  readonly #all = new Set<QueryProcess>();
  /** The oldest child is first. */
  readonly #idle = new Map<QueryProcess, NodeJS.Timeout>();
  readonly #spare: QueryProcess[] = [];
  #rest: NodeJS.Timeout | undefined;
  #closed: (() => void) | undefined;

  constructor(sandbox: Sandbox, settings: QueryEngineSettings, log: QueryLog) {
    this.#sandbox = sandbox;
    this.#settings = settings;
    this.#log = log;
    this.#refill();
  }

  /** Returns a child for a query of this organization: one that has served it before, a spare one, or a new one. */
  async acquire(orgId: string): Promise<QueryProcess> {
    if (this.#closed !== undefined) throw new Error("cannot start a query process: the pool is closed");
    const kept = this.#takeIdle(orgId) ?? this.#spare.shift();
    if (kept !== undefined && (await isReady(kept))) return assign(kept, orgId);
    const child = this.#start();
    await child.ready;
    return assign(child, orgId);
  }

  /** Takes a child back after its query. Ends the child with `doubt`, or after its maximum number of queries. */
  release(child: QueryProcess, doubt: boolean): void {
    if (doubt || !child.usable || child.queries >= this.#settings.queriesPerChildMax || this.#closed !== undefined)
      child.kill();
    else this.#keep(child);
    this.#refill();
  }

  /** Ends every child. Resolves when all have ended. */
  async close(): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    for (const timer of this.#idle.values()) clearTimeout(timer);
    clearTimeout(this.#rest);
    if (this.#all.size === 0) return;
    for (const child of this.#all) child.kill();
    await gone;
  }

  #start(): QueryProcess {
    const child = new QueryProcess(this.#sandbox, (ended) => {
      this.#forget(ended);
    });
    this.#all.add(child);
    return child;
  }

  #forget(child: QueryProcess): void {
    this.#all.delete(child);
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
    const at = this.#spare.indexOf(child);
    if (at >= 0) this.#spare.splice(at, 1);
    if (at >= 0 && this.#closed === undefined) this.#tell(child);
    if (this.#closed !== undefined && this.#all.size === 0) this.#closed();
  }

  /**
   * Logs the end of a spare child. A stop of the service may signal all of its processes, and a child that is still starting
   * does not ignore the signal yet. This end is expected.
   */
  #tell({ pid, signal }: QueryProcess): void {
    const level = signal === "SIGTERM" || signal === "SIGINT" ? "debug" : "warn";
    this.#log[level]({ pid, signal }, "a spare query process ended");
  }

  #takeIdle(orgId: string): QueryProcess | undefined {
    const child = [...this.#idle.keys()].findLast((each) => each.orgId === orgId && each.usable);
    if (child === undefined) return undefined;
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
    return child;
  }

  #keep(child: QueryProcess): void {
    const timer = setTimeout(() => {
      this.#idle.delete(child);
      child.kill();
    }, this.#settings.idleChildMs);
    timer.unref();
    this.#idle.set(child, timer);
    const oldest = this.#idle.keys().next().value;
    if (this.#idle.size > this.#settings.idleChildrenMax && oldest !== undefined) {
      clearTimeout(this.#idle.get(oldest));
      this.#idle.delete(oldest);
      oldest.kill();
    }
  }

  /**
   * Adds spare children only after a query, never after a child ended. Otherwise a program that cannot start would be
   * started in a loop. Spare children without a query for the time of an idle child end, so that a server at rest is small.
   */
  #refill(): void {
    if (this.#closed !== undefined) return;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      for (const child of this.#spare.splice(0)) child.kill();
    }, this.#settings.idleChildMs).unref();
    while (this.#spare.length < this.#settings.spareChildren) this.#spare.push(this.#start());
  }
}

/**
 * Returns whether a child is still alive. Waits one turn of the event loop for its end, so that a child that was killed
 * while idle does not make a query fail.
 */
async function isReady(child: QueryProcess): Promise<boolean> {
  await setImmediate();
  return child.ready.then(
    () => child.usable,
    () => false,
  );
}

function assign(child: QueryProcess, orgId: string): QueryProcess {
  child.orgId = orgId;
  return child;
}
