import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { join } from "node:path";
import { childEnvironment } from "#kernel/child-environment.ts";
import { Problem } from "#kernel/problem.ts";
import { resourcePath } from "#kernel/programs.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { BackupState, InstanceBackup, InstanceBackups } from "#surfaces/portal/index.ts";
import type { Config } from "../config.ts";
import { deleteBackup, keptBackups, pruneBackups, type KeptBackup } from "./kept.ts";

const NICENESS = 10;
const LOOK_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The schedule retries this long after a failure. */
const RETRY_MS = HOUR_MS;
const DETAIL_CHARS_MAX = 1_000;

export interface BackupRunnerOptions {
  readonly config: Pick<Config, "data_dir" | "database_url" | "backup_dir" | "backup_interval_hours" | "backup_keep">;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

/** Runs the server's own backups as `mooring backup` in a separate process, because copying records blocks a thread. */
export class BackupRunner implements InstanceBackups {
  readonly #options: BackupRunnerOptions;
  #running: { readonly startedMs: number; readonly child: ChildProcess; readonly ended: Promise<void> } | undefined;
  #failure: { readonly atMs: number; readonly detail: string } | undefined;
  #looking: ScheduledWork | undefined;
  #stopped = false;

  constructor(options: BackupRunnerOptions) {
    this.#options = options;
  }

  /** Starts the schedule, if one is set. */
  start(): void {
    const { backup_interval_hours: hours } = this.#options.config;
    if (hours === null || this.#reason() !== null) return;
    const failed = (error: unknown): void =>
      this.#options.log.error({ err: error }, "cannot run the scheduled backups");
    const run = (): Promise<void> => this.#whenDue(hours * HOUR_MS);
    this.#looking = this.#options.schedule.add("backups, when due", { everyMs: LOOK_EVERY_MS, run, failed });
  }

  /** Stops a running backup. Its directory stays, but does not count as a backup. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#running?.child.kill("SIGTERM");
    await this.#looking?.stop();
    await this.#running?.ended;
  }

  state(): BackupState {
    const { backup_dir: directory, backup_interval_hours: intervalHours, backup_keep: keep } = this.#options.config;
    const running = this.#running === undefined ? null : { startedMs: this.#running.startedMs };
    return { directory, reason: this.#reason(), running, failure: this.#failure ?? null, intervalHours, keep };
  }

  async list(): Promise<InstanceBackup[]> {
    const { backup_dir: directory } = this.#options.config;
    if (directory === null) return [];
    const kept = await keptBackups(directory);
    const isRunning = this.#running !== undefined;
    return kept.map((backup, index) => ({
      ...backup,
      isRunning: isRunning && index === 0 && backup.manifest === null,
    }));
  }

  async begin(): Promise<void> {
    const reason = this.#reason();
    if (reason !== null) throw new Problem("conflict", reason);
    if (this.#running !== undefined) throw new Problem("conflict", "A backup is already running.");
    void this.#run(false);
  }

  async delete(name: string): Promise<boolean> {
    const { backup_dir: directory } = this.#options.config;
    if (directory === null) return false;
    const found = (await this.list()).find((backup) => backup.name === name);
    if (found?.isRunning === true) throw new Problem("conflict", "This backup is in progress.");
    return deleteBackup(directory, name);
  }

  /** Returns the reason why backups are not possible; null when they are possible. */
  #reason(): string | null {
    const { database_url: database, backup_dir: directory } = this.#options.config;
    if (database !== null)
      return "The records are in PostgreSQL, which has its own tools: stop the server, dump the database and copy the data directory.";
    return directory === null ? "No directory for backups is set: set backup_dir, and start the server again." : null;
  }

  async #whenDue(everyMs: number): Promise<void> {
    const { backup_dir: directory } = this.#options.config;
    if (directory === null || this.#running !== undefined || this.#stopped) return;
    const nowMs = this.#options.clock.nowMs();
    if (this.#failure !== undefined && nowMs - this.#failure.atMs < RETRY_MS) return;
    const newest = (await keptBackups(directory)).find(({ manifest }) => manifest !== null);
    if (newest === undefined || nowMs - startedMs(newest) >= everyMs) await this.#run(true);
  }

  async #run(isScheduled: boolean): Promise<void> {
    const { config, clock, log } = this.#options;
    const directory = config.backup_dir ?? "";
    const words = ["backup", "--to", directory, "--data-dir", config.data_dir, "--json"];
    const child = spawn(process.execPath, [resourcePath("launcher"), ...words], {
      env: childEnvironment(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    const text: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => text.push(chunk));
    if (child.pid !== undefined) setPriority(child.pid, NICENESS);
    const ended = this.#end(child, text).finally(() => {
      this.#running = undefined;
    });
    this.#running = { startedMs: clock.nowMs(), child, ended };
    await ended;
    if (!isScheduled || this.#failure !== undefined) return;
    const pruned = await pruneBackups(directory, config.backup_keep);
    if (pruned.length > 0) log.info({ backups: pruned }, "deleted old backups");
  }

  /** Never rejects. */
  async #end(child: ChildProcess, text: readonly string[]): Promise<void> {
    const { clock, log, config } = this.#options;
    const [code] = (await once(child, "close").catch((error: unknown) => [String(error)])) as [number | string | null];
    if (code === 0) {
      this.#failure = undefined;
      log.info({ directory: join(config.backup_dir ?? "") }, "finished a backup");
      return;
    }
    if (this.#stopped) return;
    const detail = text.join("").trim().slice(0, DETAIL_CHARS_MAX) || `it ended early (${code ?? "killed"})`;
    this.#failure = { atMs: clock.nowMs(), detail };
    log.error({ reason: detail }, "the backup failed");
  }
}

function startedMs({ manifest }: KeptBackup): number {
  return Date.parse(manifest?.started_at ?? "");
}
