/** A table of the telemetry store. */
type StoredTableName = "logs" | "metrics" | "traces" | "access_log" | "query_log";

/** Tables of telemetry; see `schema.ts` for the value types. */
export interface TelemetryTables {
  telemetry_file: {
    /** The telemetry directory that the file is in; see `telemetry/store-id`. */
    store_id: string;
    id: string;
    org_id: string;
    type: StoredTableName;
    /** Relative to the telemetry directory. */
    path: string;
    rows: number;
    bytes: number;
    min_us: number;
    max_us: number;
    /** UTC day of the newest row, `2026-11-20`. Empty in old files, which span several days. */
    day: string;
    /** JSON list of the attributes with a separate column in the file. */
    promoted: string;
    created_at: number;
    /** Version of the level spellings that set the severities of the file. */
    spellings: number;
    /** When it was replaced by a merge or passed its retention. It stays on disk until no query can read it. */
    dropped_at: number | null;
  };
  /** For each organization and type: the last batch of a telemetry directory's log whose rows are in Parquet. */
  telemetry_progress: {
    store_id: string;
    org_id: string;
    type: StoredTableName;
    compacted_seq: number;
  };
  /** Idempotency keys of batches whose log segment was deleted. */
  telemetry_key: {
    store_id: string;
    org_id: string;
    type: string;
    key_hash: string;
    body_hash: string;
    accepted: number;
    at: number;
  };
  /** Telemetry settings of the organization and the operator; null means the server's default. */
  telemetry_policy: {
    org_id: string;
    retention_days_logs: number | null;
    retention_days_metrics: number | null;
    retention_days_traces: number | null;
    retention_days_access_log: number | null;
    /** Rules of retention in order, as JSON. */
    retention_rules: string | null;
    /** Earlier retention that still counts, as JSON. */
    retention_before: string | null;
    /** An `AccessLogMode` of the contract; null: off. */
    access_log_mode: string | null;
    /** In mode `sampled`: one of this many reads has a row. Null: the default. */
    access_log_sample: number | null;
    retention_days_query_log: number | null;
    /** A `QueryLogMode` of the contract; null: all. */
    query_log_mode: string | null;
    /** 2^53 − 1 means no limit. */
    stored_bytes_max: number | null;
    ingest_bytes_per_second: number | null;
    ingest_bytes_burst: number | null;
    /** The oldest time of a row that arrives; null: as far as the retention. */
    timestamp_behind_days: number | null;
    timestamp_ahead_seconds: number | null;
    /** Grows with every change of any row, so that servers read only later changes. */
    revision: number;
    updated_at: number;
  };
  /** Counts of refused entries of the last days; see `domain/refused-entries`. */
  refused_entries: {
    org_id: string;
    /** Start of the hour. */
    hour: number;
    sender_kind: string;
    sender_id: string;
    /** Empty: none. */
    project_id: string;
    protocol: string;
    type: string;
    reason: string;
    entries: number;
    requests: number;
    last_at: number;
    /** JSON list, newest first. */
    samples: string;
  };
  /** The telemetry directories that use this database. */
  telemetry_store: {
    id: string;
    /** When its server last looked for rows past their retention. */
    seen_at: number;
    /** No rows are deleted before this time, because the clock jumped ahead. */
    drops_held_until: number | null;
  };
  /** A telemetry directory: its server's last report by the database's clock, and whether the operator gave it up. */
  telemetry_node: { store_id: string; beat_at: number | null; given_up_at: number | null };
  /** A directory has, or had, rows of the organization. */
  telemetry_holding: { store_id: string; org_id: string };
  /** A request to erase rows. */
  telemetry_erasure: {
    id: string;
    org_id: string;
    /** JSON list of types. */
    types: string;
    /** The range of `timestamp`; null: no bound. */
    from_us: number | null;
    to_us: number | null;
    /**
     * JSON object of the values that rows must equal. Null once every directory is done, since it may name a person.
     */
    match: string | null;
    /** Keyed hash of range and match, in hexadecimal. */
    match_digest: string;
    created_by: string;
    created_at: number;
    finished_at: number | null;
  };
  /** The part of an erasure in one telemetry directory. */
  telemetry_erasure_part: {
    erasure_id: string;
    store_id: string;
    state: "pending" | "running" | "done" | "failed";
    rows_erased: number;
    files_rewritten: number;
    /** JSON list of quarantined files, which a person must examine. */
    quarantined: string;
    detail: string | null;
    finished_at: number | null;
  };
}
