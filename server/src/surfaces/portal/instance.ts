export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Facts about the server that are not records, for the operator's pages. */
export interface InstanceFacts {
  readonly version: string;
  readonly startedAtMs: number;
  readonly objects: "filesystem" | "s3";
  /** The versions of the runtime and the libraries, and the commit of the server's code; null: unknown. */
  readonly build: {
    readonly commit: string | null;
    readonly node: string;
    readonly sqlite: string;
    readonly duckdb: string;
  };
  /** Runs the fast checks of `mooring doctor`, and collects the reports of the server's parts. */
  checks(): Promise<readonly InstanceCheck[]>;
  /** Returns the problems of this server, by the conditions of its alerts. */
  problems(): Promise<readonly InstanceProblem[]>;
  /** Accepts the clock as right, so that deletions by time continue. */
  acceptClock(): void;
  /** The slug of the organization that has the server's own telemetry; null: none. */
  ownTelemetryOrganization(): Promise<string | null>;
  /** The lowest severity of log lines of this server process. */
  readonly logLevel: {
    get(): LogLevel;
    /** Returns the level from before. */
    set(level: LogLevel): LogLevel;
    /** The level after a restart. */
    readonly configured: LogLevel;
  };
  /** The data directory's file system. */
  disk(): Promise<{ free_bytes: number; total_bytes: number }>;
}

/** Backups that the server makes itself. */
export interface InstanceBackups {
  state(): Promise<BackupState>;
  /** Lists backups, newest first. */
  list(): Promise<readonly InstanceBackup[]>;
  /**
   * Starts a backup, which continues after the answer.
   * @throws Problem `conflict` when backups are impossible or one runs
   */
  begin(): Promise<void>;
  /**
   * Returns false when there is no backup of this name.
   * @throws Problem `conflict` while another task runs
   */
  delete(name: string): Promise<boolean>;
}

export interface BackupState {
  /** A directory, or the address of a bucket. */
  readonly directory: string | null;
  /** Why backups are impossible; null: they are possible. */
  readonly reason: string | null;
  readonly running: { readonly task: "backup" | "prune" | "trial restore"; readonly startedMs: number } | null;
  /** The last failure, unless a later backup succeeded. */
  readonly failure: { readonly at: string; readonly detail: string } | null;
  readonly lastSuccessAt: string | null;
  /** 0: the server makes none by itself. */
  readonly intervalHours: number;
  readonly keep: {
    readonly latest: number;
    readonly hourly: number;
    readonly daily: number;
    readonly weekly: number;
    readonly monthly: number;
  };
  /** Null: there is no key yet. */
  readonly key: { readonly id: string; readonly confirmed: boolean } | null;
  /** The last trial restore. */
  readonly trial: {
    readonly at: string;
    readonly ok: boolean;
    readonly backup: string | null;
    readonly detail: string;
  } | null;
}

export interface InstanceBackup {
  readonly name: string;
  /** Why it can't be read; null: it can. */
  readonly fault: string | null;
  readonly made: {
    readonly version: string;
    readonly started_at: string;
    readonly finished_at: string;
    readonly files: number;
    readonly bytes: number;
    readonly added_bytes: number;
    readonly master_key: boolean;
    readonly blobs_elsewhere: number;
  } | null;
}

/** Restores of parts of backups into this server. */
export interface InstanceRestores {
  /** The last ones, newest first. */
  list(): readonly RestoreState[];
  /**
   * Starts a restore, which continues after the answer.
   * @throws Problem `conflict` when there is no place of backups, or one runs
   */
  begin(wanted: NewRestore): { readonly id: string };
}

export interface NewRestore {
  /** Null: the newest one. */
  readonly backup: string | null;
  readonly kind: "organization" | "project" | "bucket" | "file";
  readonly organization: string | null;
  readonly name: string | null;
  /** The slug of a restored organization; null: as in the backup. */
  readonly slug: string | null;
  readonly credentials: "revoked" | "kept";
}

export interface RestoreState extends NewRestore {
  readonly id: string;
  readonly state: "running" | "done" | "failed";
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly detail: string | null;
}

/** A problem of the server, with the page whose steps end it. */
export interface InstanceProblem {
  readonly alert: string;
  readonly severity: "critical" | "warning";
  readonly text: string;
  readonly page: string;
}

export interface InstanceCheck {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail: string;
}
