import { Problem } from "#kernel/problem.ts";
import type { BackupState, InstanceBackup, InstanceBackups } from "../instance.ts";

/** Backups that a test sets. `app/backup` has the real ones, which surfaces do not import. */
export class TestBackups implements InstanceBackups {
  readonly kept: InstanceBackup[] = [];
  #state: BackupState = {
    directory: "/backups",
    reason: null,
    running: null,
    failure: null,
    lastSuccessAt: null,
    intervalHours: 24,
    keep: { latest: 7, hourly: 24, daily: 7, weekly: 4, monthly: 6 },
    key: null,
    trial: null,
  };

  set(change: Partial<BackupState>): void {
    this.#state = { ...this.#state, ...change };
  }

  async state(): Promise<BackupState> {
    return this.#state;
  }

  async list(): Promise<readonly InstanceBackup[]> {
    return this.kept;
  }

  async begin(): Promise<void> {
    const { reason, running } = this.#state;
    if (reason !== null || running !== null) throw new Problem("conflict", reason ?? "one runs");
    this.set({ running: { task: "backup", startedMs: 1_780_000_000_000 } });
  }

  async delete(name: string): Promise<boolean> {
    const index = this.kept.findIndex((backup) => backup.name === name);
    if (index < 0) return false;
    if (this.#state.running !== null) throw new Problem("conflict", "one runs");
    this.kept.splice(index, 1);
    return true;
  }
}
