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
    intervalHours: 24,
    keep: 7,
  };

  set(change: Partial<BackupState>): void {
    this.#state = { ...this.#state, ...change };
  }

  state(): BackupState {
    return this.#state;
  }

  async list(): Promise<readonly InstanceBackup[]> {
    return this.kept;
  }

  async begin(): Promise<void> {
    const { reason, running } = this.#state;
    if (reason !== null || running !== null) throw new Problem("conflict", reason ?? "one runs");
    this.set({ running: { startedMs: 1_780_000_000_000 } });
    this.kept.unshift({ name: "mooring-20261122T181500Z", isRunning: true, manifest: null });
  }

  async delete(name: string): Promise<boolean> {
    const index = this.kept.findIndex((backup) => backup.name === name);
    if (index < 0) return false;
    if (this.kept[index]?.isRunning === true) throw new Problem("conflict", "it is being made");
    this.kept.splice(index, 1);
    return true;
  }
}
