import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A server's knowledge of its clock at the last check. It is stored beside the data, so that a restart does not lose
 * it.
 */
export interface KeptClock {
  /** When the clock was last trusted, by that clock. */
  readonly seen_at: number;
  /** A moment at which the clock was trusted, by the clock and by elapsed time. */
  readonly anchor: { readonly wall_ms: number; readonly real_ms: number; readonly boot_id: string | null };
  readonly held: KeptHold | null;
}

export interface KeptHold {
  /** When the hold began, by the clock that was not trusted. */
  readonly since: number;
  readonly reason: string;
  /** How long the hold has lasted, in elapsed time while a server ran. */
  readonly for_ms: number;
}

const stateFile = (dataDir: string): string => join(dataDir, "clock.json");
const acceptFile = (dataDir: string): string => join(dataDir, "clock.accepted");

/**
 * Returns undefined when no state was saved or the file cannot be read. Losing the file is harmless: there is less to
 * compare with.
 */
export function readClockState(dataDir: string): KeptClock | undefined {
  try {
    const value = JSON.parse(readFileSync(stateFile(dataDir), "utf8")) as KeptClock;
    return Number.isFinite(value.seen_at) && Number.isFinite(value.anchor.wall_ms) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function writeClockState(dataDir: string, state: KeptClock): void {
  const path = stateFile(dataDir);
  writeFileSync(`${path}.new`, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Tells the server of this directory, now or at its next start, that its clock is right. */
export function leaveAcceptance(dataDir: string): void {
  writeFileSync(acceptFile(dataDir), "", { mode: 0o600 });
}

/** Returns whether the operator accepted the clock since the last call, and deletes the note. */
export function takeAcceptance(dataDir: string): boolean {
  if (!existsSync(acceptFile(dataDir))) return false;
  rmSync(acceptFile(dataDir), { force: true });
  return true;
}
