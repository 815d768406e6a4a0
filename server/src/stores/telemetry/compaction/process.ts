import { spawn, type ChildProcess } from "node:child_process";
import { constants, setPriority } from "node:os";
import { childEnvironment } from "#kernel/child-environment.ts";
import { programPath } from "#kernel/programs.ts";
import type { CompactionJob, CompactionRunner, CompactionStart, FromChild, MadeFile, ToChild } from "./protocol.ts";

export interface ProcessOptions extends CompactionStart {
  /** A job that takes longer ends its process. */
  readonly timeoutMs: number;
  /** The process ends when it had no jobs for this long. */
  readonly idleMs: number;
  /** As in `nice`: 0 is the server's priority, 19 the lowest. Urgent jobs have 0. */
  readonly niceness?: number;
}

/** After this many jobs that are not urgent, the process that was started for an urgent one is replaced. */
const CALM_JOBS = 32;

/**
 * Runs jobs one at a time in a process of low priority, which is started when there are jobs and ended when there are
 * none.
 */
export class CompactionProcess implements CompactionRunner {
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  #isUrgent = false;
  #calmJobs = 0;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  async run(job: CompactionJob): Promise<readonly MadeFile[]> {
    if (this.#closed) throw new Error("the compaction process is closed");
    clearTimeout(this.#idle);
    this.#prioritize(job.kind === "compact" && job.urgent === true);
    const child = (this.#child ??= this.#start());
    try {
      return await this.#ask(child, job);
    } finally {
      if (!this.#closed) this.#idle = setTimeout(() => this.#end(), this.#options.idleMs).unref();
    }
  }

  /**
   * Ends the process if its priority is wrong, so that a new one is started. The priority of a running process can't be
   * changed: raising it needs privileges, and a change affects only one thread.
   */
  #prioritize(urgent: boolean): void {
    this.#calmJobs = urgent ? 0 : this.#calmJobs + 1;
    if (urgent === this.#isUrgent || (this.#isUrgent && this.#child !== undefined && this.#calmJobs < CALM_JOBS))
      return;
    this.#isUrgent = urgent;
    this.#end();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("close", resolve));
    this.#end();
    await gone;
  }

  #ask(child: ChildProcess, job: CompactionJob): Promise<readonly MadeFile[]> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => child.kill("SIGKILL"), this.#options.timeoutMs);
      const settle = (): void => {
        clearTimeout(timer);
        child.off("message", onMessage);
        child.off("close", onClose);
      };
      const onMessage = (message: FromChild): void => {
        settle();
        if ("made" in message) resolve(message.made);
        else reject(new Error(message.error));
      };
      const onClose = (code: number | null, signal: string | null): void => {
        settle();
        reject(new Error(`the compaction process ended (${signal ?? `exit code ${code}`})`));
      };
      child.on("message", onMessage);
      child.on("close", onClose);
      send(child, { job });
    });
  }

  #start(): ChildProcess {
    const stdio = ["ignore", "ignore", "ignore", "ipc"] as const;
    // Detached, because Ctrl-C is for the server, which ends its children itself.
    const options = { env: childEnvironment(), stdio: [...stdio], detached: true };
    const child = spawn(process.execPath, [programPath("compaction.process")], options);
    const forget = (): void => {
      if (this.#child === child) this.#child = undefined;
    };
    child.once("close", forget);
    child.on("error", forget);
    const { workDir, memoryBytes, threads, niceness } = this.#options;
    if (!this.#isUrgent) lowerPriority(child, niceness ?? constants.priority.PRIORITY_BELOW_NORMAL);
    send(child, { start: { workDir, memoryBytes, threads } });
    return child;
  }

  #end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }
}

function send(child: ChildProcess, message: ToChild): void {
  // The "close" event reports a process that has ended.
  if (child.connected) child.send(message, () => {});
}

function lowerPriority(child: ChildProcess, niceness: number): void {
  try {
    if (child.pid !== undefined) setPriority(child.pid, niceness);
  } catch {
    // Some systems forbid it. Then compaction competes with requests.
  }
}
