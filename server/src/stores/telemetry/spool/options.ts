import type { Clock } from "#kernel/time.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { TelemetryLog } from "../settings.ts";
import type { Group } from "./piece.ts";

export interface SpoolOptions {
  readonly dir: string;
  /** The directory's identifier, see `store-id.ts`. */
  readonly node: string;
  /** Identifies this run of the machine. Null: unknown. */
  readonly boot: string | null;
  readonly settings: SpoolSettings;
  /** Stores the rows of a piece durably. */
  readonly append: (group: Group, piece: string) => Promise<void>;
  /** Returns whether the log already has the rows of a piece. */
  readonly has: (group: Pick<Group, "orgId" | "table">, piece: string) => boolean;
  readonly schedule: Schedule;
  readonly clock: Clock;
  readonly log: TelemetryLog;
}

export interface SpoolSettings {
  /** A piece moves to the log at this size. */
  readonly pieceBytes: number;
  /** A piece moves to the log at this age. */
  readonly pieceMs: number;
  /** Rows are flushed to the disk within this time. A power cut loses at most so much. */
  readonly flushMs: number;
  /** While the pieces have more than this, because the log takes no rows, new rows are lost. */
  readonly bytesMax: number;
  /** While the disk has less than this free, new rows are lost. */
  readonly diskFreeBytesMin: number;
}

export const SPOOL_DEFAULTS: Omit<SpoolSettings, "diskFreeBytesMin"> = {
  pieceBytes: 2 * 1024 * 1024,
  pieceMs: 10_000,
  flushMs: 1000,
  bytesMax: 512 * 1024 * 1024,
};
