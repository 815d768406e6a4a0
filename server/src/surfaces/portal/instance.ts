/** What the pages for whoever runs the server show of it, besides the records. */
export interface InstanceFacts {
  readonly version: string;
  readonly startedAtMs: number;
  readonly objects: "filesystem" | "s3";
  /** What runs besides our own code, and which commit of that; null: nobody knows. */
  readonly build: {
    readonly commit: string | null;
    readonly node: string;
    readonly sqlite: string;
    readonly duckdb: string;
  };
  /** What `mooring doctor` looks at that takes no time, and what the server's own parts say of themselves. */
  checks(): Promise<readonly InstanceCheck[]>;
  /** The clock is right as it is: what waits to be deleted by it need not wait any more. */
  acceptClock(): void;
  /** Of the file system that the data directory is on. */
  disk(): Promise<{ free_bytes: number; total_bytes: number }>;
}

/** Backups that the server makes itself. */
export interface InstanceBackups {
  state(): BackupState;
  /** Newest first. */
  list(): Promise<readonly InstanceBackup[]>;
  /** Begins one, which goes on after the answer. @throws Problem `conflict`: it can't, or one runs */
  begin(): Promise<void>;
  /** False: there is none of that name. @throws Problem `conflict`: it is being made */
  delete(name: string): Promise<boolean>;
}

export interface BackupState {
  readonly directory: string | null;
  /** Why none can be made; null: they can. */
  readonly reason: string | null;
  readonly running: { readonly startedMs: number } | null;
  /** Of the last one, where it failed, since the start of the server. */
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
