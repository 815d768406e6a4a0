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
  /** Accepts the clock as right, so that deletions by time continue. */
  acceptClock(): void;
  /** The slug of the organization that has the server's own telemetry; null: none. */
  ownTelemetryOrganization(): Promise<string | null>;
  /** The data directory's file system. */
  disk(): Promise<{ free_bytes: number; total_bytes: number }>;
}

/** Backups that the server makes itself. */
export interface InstanceBackups {
  state(): BackupState;
  /** Lists backups, newest first. */
  list(): Promise<readonly InstanceBackup[]>;
  /**
   * Starts a backup, which continues after the answer.
   * @throws Problem `conflict` when backups are impossible or one runs
   */
  begin(): Promise<void>;
  /**
   * Returns false when there is no backup of this name.
   * @throws Problem `conflict` while it is being written
   */
  delete(name: string): Promise<boolean>;
}

export interface BackupState {
  readonly directory: string | null;
  /** Why backups are impossible; null: they are possible. */
  readonly reason: string | null;
  readonly running: { readonly startedMs: number } | null;
  /** The last failure since the server's start, unless a later backup succeeded. */
  readonly failure: { readonly atMs: number; readonly detail: string } | null;
  readonly intervalHours: number | null;
  readonly keep: number;
}

export interface InstanceBackup {
  readonly name: string;
  readonly isRunning: boolean;
  /** Null: the backup was not finished. */
  readonly manifest: {
    readonly version: string;
    readonly started_at: string;
    readonly finished_at: string;
    readonly files: number;
    readonly bytes: number;
    readonly linked_bytes: number;
    readonly master_key: boolean;
    readonly blobs_elsewhere: number;
  } | null;
}

export interface InstanceCheck {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail: string;
}
