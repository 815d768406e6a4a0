import type { Config } from "../../config.ts";
import type { RunningServer } from "../../running.ts";

export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** The remedy, for `warn` and `fail`. */
  readonly mend?: string;
}

export interface CheckContext {
  readonly config: Config;
  /** The server that runs on this data directory; null when none does. */
  readonly running: RunningServer | null;
}

/** One check. An error that it throws is a failed check with that message. */
export interface Check {
  readonly name: string;
  /** The remedy when the check itself fails. */
  readonly mend: string;
  run(context: CheckContext): Promise<readonly Omit<Finding, "check">[]>;
}

export type Found = Omit<Finding, "check">;

export function ok(detail: string): Found {
  return { status: "ok", detail };
}

export function warn(detail: string, mend: string): Found {
  return { status: "warn", detail, mend };
}

export function fail(detail: string, mend: string): Found {
  return { status: "fail", detail, mend };
}

export function mib(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2).toLocaleString("en-US")} MiB`;
}
