import { join } from "node:path";
import { readTextIfPresent, writeFileDurably } from "#stores/directory/index.ts";

/** The result of a trial restore. */
export interface TrialResult {
  readonly at: string;
  readonly ok: boolean;
  /** The backup that was restored. Null: it ended before it chose one. */
  readonly backup: string | null;
  readonly detail: string;
}

/** What the server remembers of its backups, over restarts. */
export interface BackupMemory {
  /** The last success to the place in the settings. */
  readonly success: { readonly place: string; readonly at: string } | null;
  /** The last failure, unless a later backup succeeded. */
  readonly failure: { readonly at: string; readonly detail: string } | null;
  readonly failures_total: number;
  readonly trial: TrialResult | null;
  readonly last_good_trial_at: string | null;
}

const FILE = "backup.state.json";
const NOTHING: BackupMemory = {
  success: null,
  failure: null,
  failures_total: 0,
  trial: null,
  last_good_trial_at: null,
};

/** An absent or damaged file is an empty memory: the place of backups has the backups themselves. */
export async function readBackupMemory(dataDir: string): Promise<BackupMemory> {
  try {
    const text = await readTextIfPresent(join(dataDir, FILE));
    return text === undefined ? NOTHING : { ...NOTHING, ...(JSON.parse(text) as Partial<BackupMemory>) };
  } catch {
    return NOTHING;
  }
}

export async function changeBackupMemory(dataDir: string, change: Partial<BackupMemory>): Promise<void> {
  const memory = { ...(await readBackupMemory(dataDir)), ...change };
  await writeFileDurably(join(dataDir, FILE), `${JSON.stringify(memory)}\n`);
}
