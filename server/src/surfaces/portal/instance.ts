/** What the pages for whoever runs the server show of it, besides the records. */
export interface InstanceFacts {
  readonly version: string;
  readonly startedAtMs: number;
  readonly objects: "filesystem" | "s3";
  /** What `mooring doctor` looks at that takes no time, and what the server's own parts say of themselves. */
  checks(): Promise<readonly InstanceCheck[]>;
  /** Of the file system that the data directory is on. */
  disk(): Promise<{ free_bytes: number; total_bytes: number }>;
}

export interface InstanceCheck {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail: string;
}
