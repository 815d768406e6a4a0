/** Periodic work. Its interval is set where it is added to the schedule, mostly from a setting. */
export interface PeriodicRow {
  /** One plain sentence for the operator. */
  readonly does: string;
  /** "one node": jobs of the queue, of the kind `kind`. "each node": in the schedule of every server. */
  readonly on: "each node" | "one node";
  readonly kind?: string;
  /** The setting that has the interval. */
  readonly setting?: string;
}

/** Every periodic work of the server, by its name. `npm run check tidy` refuses timers that repeat anywhere else. */
export const PERIODIC_WORK = {
  "access changes": each("Reads revocations, and tells the other servers that this one runs."),
  "key ring": each("Reads the keys that protect secrets again, and asks the key service for its key."),
  "signing keys": each("Creates the next key that signs tokens in time, and retires old ones."),
  refusals: each("Writes refused sign-ins to the audit log."),
  "refused requests": each("Saves the requests that were refused."),
  "credential use": each("Saves when credentials and S3 keys were last used."),
  "ingest rules": each("Saves how many rows each ingest rule has met, removed and masked."),
  "refused entries": each("Saves how many entries of telemetry were refused, by sender and reason."),
  activity: each("Adds up the requests of each credential."),
  "image pulls": each("Adds up the pulls of each image."),
  "webhook requests": each("Adds up the requests of each webhook address."),
  "webhook deliveries": each("Wakes the jobs that forward events, when webhooks received some."),
  "running queries": each("Tells the other servers which queries run here, and ends those that were cancelled there."),
  certificates: each(
    "Reads the certificates of TLS again, and warns of those that expire soon. A changed file wakes it.",
  ),
  clock: each("Compares the clock with the time that has passed, and with the clock of the database."),
  queue: each("Looks for jobs of the queue that are due. New jobs wake it before its time."),
  "queue leases": each("Renews the leases of the jobs that run here, so that no other server takes them."),
  "store probes": each("Writes a small file to each store, to see whether it takes writes."),
  problems: each("Keeps the numbers of the last minutes that the problems on the page Instance are found by."),
  "query plans": each("Updates the statistics of SQLite's query planner."),
  spool: each(
    "Flushes the rows of the server's own tables, such as access_log, and moves them to the log of telemetry.",
  ),
  "telemetry presence": each("Tells the other servers that this one stores telemetry."),
  "telemetry limits": each("Reads changed retention settings and quotas."),
  "telemetry files": each("Writes new rows to Parquet files, and shortens the log.", "compaction_interval_ms"),
  "telemetry merges": each("Merges small Parquet files of a day into larger ones."),
  "telemetry retention": each("Deletes rows that are past their retention.", "retention_check_ms"),
  "telemetry erasures": each("Deletes the rows of erasures."),
  "organization totals": each(
    "Measures how much each organization stores, and limits those that would fill the disk, if there are several.",
  ),
  "own telemetry": each("Writes the server's own logs, metrics and spans to its organization."),
  "own metrics": each("Samples the server's own metrics.", "own_telemetry_metrics_interval_ms"),
  content: each("Deletes content without references.", "object_collect_ms"),
  "reads under way": each(
    "Tells the other servers which content is being read here, during a long garbage collection.",
    "object_collect_ms",
  ),
  "uploads and trash": each("Deletes abandoned uploads, and deleted files after their retention.", "upload_cleanup_ms"),
  images: each("Applies the retention rules of repositories, and deletes unused content.", "registry_collect_ms"),
  "backups, when due": each("Creates scheduled backups.", "backup_interval_hours"),
  alerts: one("alert.evaluate", "Evaluates each alert at its interval."),
  "bucket lifecycle": one(
    "s3.lifecycle",
    "Applies the lifecycle rules of each bucket that has any.",
    "s3_lifecycle_interval_ms",
  ),
  trash: one(
    "trash.end",
    "Deletes webhooks, images, repositories, apps and projects whose time in the trash has ended.",
  ),
  "old S3 records": one("s3.tidy", "Deletes records of completed uploads, and of S3 notifications that were given up."),
  "audit log retention": one("audit.cut", "Deletes entries of audit logs that are past their retention."),
  "audit checkpoints": one(
    "audit.checkpoint",
    "Signs the last entry of each audit log and sends it to the receiver, if the log has new entries.",
  ),
  "old refused requests": one(
    "request.tidy",
    "Deletes refused requests after a week, and earlier if they take too much space.",
  ),
  usage: one(
    "usage.measure",
    "Measures each hour how much organizations store, and deletes daily usage after 13 months.",
  ),
  "old webhook events": one("webhook.tidy", "Deletes events past their retention, and the data of deleted webhooks."),
} as const satisfies Readonly<Record<string, PeriodicRow>>;

export type WorkName = keyof typeof PERIODIC_WORK;

/** Kinds of the queue whose jobs do not repeat. */
export const QUEUE_KINDS: Readonly<Record<string, string>> = {
  "person.erase": "Erases the traces of deleted people in the audit log and the files.",
  "organization.erase": "Deletes everything in deleted organizations, after their grace period.",
  "alert.deliver": "Delivers the messages of alerts.",
  "mail.send": "Sends mails again that a mail server has not accepted yet, and forgets failed ones after 30 days.",
  "s3.deliver": "Delivers the notifications of buckets.",
  "webhook.hand_on": "Forwards the events of webhooks to their destinations.",
};

function each(does: string, setting?: string): PeriodicRow {
  return { does, on: "each node", ...(setting === undefined ? {} : { setting }) };
}

function one(kind: string, does: string, setting?: string): PeriodicRow {
  return { does, on: "one node", kind, ...(setting === undefined ? {} : { setting }) };
}
