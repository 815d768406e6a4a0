/** Facts about the server, other than records, for the operator's pages. */
export interface InstanceFacts {
  readonly version: string;
  readonly startedAtMs: number;
  readonly objects: "filesystem" | "s3";
  /** The versions of runtime and libraries, and the commit of the server's code; null: unknown. */
  readonly build: {
    readonly commit: string | null;
    readonly node: string;
    readonly sqlite: string;
    readonly duckdb: string;
  };
  /** The fast checks of `mooring doctor`, and the reports of the server's own parts. */
  checks(): Promise<readonly InstanceCheck[]>;
  /** The clock is right as it is: what waits to be deleted by it need not wait any more. */
  acceptClock(): void;
  /** The data directory's file system. */
  disk(): Promise<{ free_bytes: number; total_bytes: number }>;
}

/** Backups that the server makes itself. */
export interface InstanceBackups {
  state(): BackupState;
  /** Newest first. */
  list(): Promise<readonly InstanceBackup[]>;
  /**
   * Begins one, which continues after the answer.
   * @throws Problem `conflict`: it can't, or one runs
   */
  begin(): Promise<void>;
  /**
   * False: there is none of that name.
   * @throws Problem `conflict`: it is in progress
   */
  delete(name: string): Promise<boolean>;
}

export interface BackupState {
  readonly directory: string | null;
  /** Why none can be made; null: they can. */
  readonly reason: string | null;
  readonly running: { readonly startedMs: number } | null;
  /** The last failure since the start of the server, unless a later run succeeded. */
  readonly failure: { readonly atMs: number; readonly detail: string } | null;
  readonly intervalHours: number | null;
  readonly keep: number;
}

export interface InstanceBackup {
  readonly name: string;
  readonly isRunning: boolean;
  /** Null: it was not finished. */
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
