import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A server's knowledge of its clock at the last check. It is stored beside the data, so that a restart does not reset
 * it.
 */
export interface KeptClock {
  /** When the clock was last trusted, as it said. */
  readonly seen_at: number;
  /** A moment at which it was trusted, by the clock and in time that nobody sets. */
  readonly anchor: { readonly wall_ms: number; readonly real_ms: number; readonly boot_id: string | null };
  readonly held: KeptHold | null;
}

export interface KeptHold {
  /** When the hold began, as the doubted clock said. */
  readonly since: number;
  readonly reason: string;
  /** How long it has lasted in time that nobody sets, while a server ran. */
  readonly for_ms: number;
}

const stateFile = (dataDir: string): string => join(dataDir, "clock.json");
const acceptFile = (dataDir: string): string => join(dataDir, "clock.accepted");

/** Undefined: nobody looked yet, or the file can't be read. It is small, and lost it is only evidence less. */
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

/** For the server of this directory, which runs or will: its clock is right as it is. */
export function leaveAcceptance(dataDir: string): void {
  writeFileSync(acceptFile(dataDir), "", { mode: 0o600 });
}

/** Whether somebody has accepted the clock since; takes the note away. */
export function takeAcceptance(dataDir: string): boolean {
  if (!existsSync(acceptFile(dataDir))) return false;
  rmSync(acceptFile(dataDir), { force: true });
  return true;
}
