import { spawn, type ChildProcess } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "#kernel/child-environment.ts";
import type { CompactionJob, CompactionRunner, CompactionStart, FromChild, MadeFile, ToChild } from "./protocol.ts";

export interface ProcessOptions extends CompactionStart {
  /** A job that takes longer ends its process. */
  readonly timeoutMs: number;
  /** The process is ended when it has had nothing to do for so long. */
  readonly idleMs: number;
  /** As `nice` has it: 0 is the server's own, 19 the least. Jobs that are urgent have 0. */
  readonly niceness?: number;
}

/** After this many jobs that are not urgent the process drops the priority that it got for an urgent one. */
const CALM_JOBS = 32;

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));

/** Runs jobs one at a time in a process of low priority, which is started for work and ended without it. */
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

  /** Another priority wants another process: it can't be raised without privileges, and is that of a thread, not of a process. */
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
    // Detached: a Ctrl-C is for the server, which ends its children when it is done.
    const child = spawn(process.execPath, [CHILD], { env: childEnvironment(), stdio: [...stdio], detached: true });
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
  // A process that ended is reported by its "close" event.
  if (child.connected) child.send(message, () => {});
}

function lowerPriority(child: ChildProcess, niceness: number): void {
  try {
    if (child.pid !== undefined) setPriority(child.pid, niceness);
  } catch {
    // Some systems forbid it; compaction then competes with requests, and that is all.
  }
}
