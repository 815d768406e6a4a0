import { Problem } from "#kernel/problem.ts";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import type { Archive } from "#stores/archive/index.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import { keyIdOf } from "#stores/repository/index.ts";
import type { BackupState, InstanceBackup, InstanceBackups } from "#surfaces/portal/index.ts";
import type { Config } from "../config.ts";
import { startBackupChild, type BackupChild } from "./child.ts";
import type { Backup } from "./facts.ts";
import { isBackupKeyConfirmed, presentBackupKey } from "./key.ts";
import { listBackups } from "./list.ts";
import { openBackupPlace } from "./place.ts";
import { retentionOf } from "./retention.ts";
import { changeBackupMemory, readBackupMemory, type BackupMemory, type TrialResult } from "./state.ts";

const LOOK_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The schedule retries this long after a failure. */
const RETRY_MS = HOUR_MS;
const TRIAL_EVERY_MS = 7 * 24 * HOUR_MS;
const TRIAL_RETRY_MS = 24 * HOUR_MS;

export interface BackupRunnerOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly log: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

type Task = NonNullable<BackupState["running"]>["task"];

/** Runs the server's own backups, and shows those in the place of the settings. */
export class BackupRunner implements InstanceBackups {
  readonly #options: BackupRunnerOptions;
  /** Backups that were read before: they never change. */
  readonly #known = new Map<string, Backup>();
  #running:
    | { readonly task: Task; readonly startedMs: number; child: BackupChild; ended: Promise<boolean> }
    | undefined;
  #looking: ScheduledWork | undefined;
  #stopped = false;

  constructor(options: BackupRunnerOptions) {
    this.#options = options;
  }

  /** Starts the schedule, if there is a place. */
  start(): void {
    const { backup_interval_hours: hours } = this.#options.config;
    if (hours === 0 || this.#reason() !== null) return;
    const failed = (error: unknown): void =>
      this.#options.log.error({ err: error }, "cannot run the scheduled backups");
    const run = (): Promise<void> => this.#whenDue(hours * HOUR_MS);
    this.#looking = this.#options.schedule.add("backups, when due", { everyMs: LOOK_EVERY_MS, run, failed });
  }

  /** Stops a running backup. It leaves nothing that counts as a backup. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#running?.child.kill();
    await this.#looking?.stop();
    await this.#running?.ended;
  }

  async state(): Promise<BackupState> {
    const { config } = this.#options;
    const { success, failure, trial } = await this.#remembered();
    const key = await presentBackupKey(config).catch(() => undefined);
    return {
      directory: config.backup_dir,
      reason: this.#reason(),
      running: this.#running === undefined ? null : { task: this.#running.task, startedMs: this.#running.startedMs },
      failure,
      lastSuccessAt: success?.place === config.backup_dir ? success.at : null,
      intervalHours: config.backup_interval_hours,
      keep: retentionOf(config),
      key: key === undefined ? null : { id: keyIdOf(key), confirmed: await isBackupKeyConfirmed(config) },
      trial,
    };
  }

  /** The results for the metrics; null without a place for backups. */
  async results(): Promise<{
    readonly intervalS: number | null;
    readonly lastSuccessMs: number;
    readonly isFailed: boolean;
    readonly failures: number;
    readonly lastTrialMs: number;
  } | null> {
    if (this.#reason() !== null) return null;
    const { backup_dir: place, backup_interval_hours: hours } = this.#options.config;
    const { success, failure, failures_total: failures, last_good_trial_at: lastTrial } = await this.#remembered();
    return {
      intervalS: hours === 0 ? null : (hours * HOUR_MS) / 1000,
      lastSuccessMs: success !== null && success.place === place ? Date.parse(success.at) : 0,
      isFailed: failure !== null,
      failures,
      lastTrialMs: lastTrial === null ? 0 : Date.parse(lastTrial),
    };
  }

  async list(): Promise<InstanceBackup[]> {
    return this.#withPlace([], async (archive) => {
      const listed = await listBackups(archive, await presentBackupKey(this.#options.config), this.#known);
      for (const { name, backup } of listed) if (backup !== null) this.#known.set(name, backup);
      return listed.map((each) => ({
        name: each.name,
        fault: each.backup === null ? each.fault : null,
        made: each.backup === null ? null : { ...each.backup, ...each.backup.facts },
      }));
    });
  }

  async begin(): Promise<void> {
    this.#requirePossible();
    void this.#run("backup", []);
  }

  async delete(name: string): Promise<boolean> {
    if (!(await this.list()).some((backup) => backup.name === name)) return false;
    this.#requirePossible();
    if (!(await this.#run("prune", ["prune", "--delete", name])))
      throw new Problem("conflict", `The backup was not deleted: ${this.#lastDetail}`);
    return true;
  }

  #lastDetail = "";

  #requirePossible(): void {
    const reason = this.#reason();
    if (reason !== null) throw new Problem("conflict", reason);
    if (this.#running !== undefined) throw new Problem("conflict", `A ${this.#running.task} is already running.`);
  }

  /** Returns the reason why backups are not possible; null when they are possible. */
  #reason(): string | null {
    const { backup_dir: directory } = this.#options.config;
    return directory === null ? "No place for backups is set: set backup_dir, and start the server again." : null;
  }

  async #withPlace<T>(otherwise: T, work: (archive: Archive) => Promise<T>): Promise<T> {
    const { config } = this.#options;
    if (config.backup_dir === null) return otherwise;
    const archive = await openBackupPlace(config, config.backup_dir);
    try {
      return await work(archive);
    } finally {
      archive.close();
    }
  }

  /** Reads the file each time, because a command may have made a backup. */
  #remembered(): Promise<BackupMemory> {
    return readBackupMemory(this.#options.config.data_dir);
  }

  #remember(change: Partial<BackupMemory>): Promise<void> {
    return changeBackupMemory(this.#options.config.data_dir, change);
  }

  async #whenDue(everyMs: number): Promise<void> {
    if (this.#running !== undefined || this.#stopped) return;
    const { clock, config } = this.#options;
    const { success, failure } = await this.#remembered();
    const nowMs = clock.nowMs();
    if (failure !== null && nowMs - Date.parse(failure.at) < Math.min(RETRY_MS, everyMs)) return;
    const isDue = success?.place !== config.backup_dir || nowMs - Date.parse(success.at) >= everyMs;
    if (isDue && (await this.#run("backup", []))) await this.#run("prune", ["prune"]);
    await this.#tryRestore(nowMs);
  }

  /** Restores the newest backup once a week, to know that it can be restored. */
  async #tryRestore(nowMs: number): Promise<void> {
    const { success, trial, last_good_trial_at: lastGood } = await this.#remembered();
    if (success === null || this.#stopped) return;
    const waitMs = trial?.ok === false ? TRIAL_RETRY_MS : TRIAL_EVERY_MS;
    const since = trial?.ok === false ? trial.at : lastGood;
    if (since === null || since === undefined || nowMs - Date.parse(since) >= waitMs)
      await this.#run("trial restore", ["trial"]);
  }

  /** Runs a task in a child. Resolves to whether it succeeded. */
  async #run(task: Task, words: readonly string[]): Promise<boolean> {
    const { config, clock } = this.#options;
    const startedMs = clock.nowMs();
    const child = startBackupChild(config, words);
    const ended = this.#end(task, startedMs, child).finally(() => {
      this.#running = undefined;
    });
    this.#running = { task, startedMs, child, ended };
    return ended;
  }

  /** Never rejects. */
  async #end(task: Task, startedMs: number, child: BackupChild): Promise<boolean> {
    const { clock, log, config } = this.#options;
    const end = await child.ended;
    if (this.#stopped) return false;
    const at = isoFromMs(clock.nowMs());
    try {
      if (task === "trial restore") await this.#noteTrial(at, end);
      if (end.ok) {
        log.info({ place: config.backup_dir, duration_ms: clock.nowMs() - startedMs }, `finished a ${task}`);
        return true;
      }
      this.#lastDetail = end.detail;
      const { failures_total: failures } = await this.#remembered();
      if (task === "backup")
        await this.#remember({
          failure: { at, detail: end.detail },
          failures_total: failures + 1,
        });
      log.error({ reason: end.detail }, `the ${task} failed`);
    } catch (error) {
      log.error({ err: error }, `cannot note the end of the ${task}`);
    }
    return false;
  }

  async #noteTrial(at: string, end: Awaited<BackupChild["ended"]>): Promise<void> {
    const failed = { ok: false, backup: null, detail: end.ok ? "" : end.detail };
    const result = end.ok ? (JSON.parse(end.output) as Omit<TrialResult, "at">) : failed;
    await this.#remember({ trial: { at, ...result }, ...(result.ok ? { last_good_trial_at: at } : {}) });
  }
}
