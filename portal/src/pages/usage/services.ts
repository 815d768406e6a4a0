import type { ResultOf, USAGE_ROUTES } from "@mooring/contract";

export type Usage = ResultOf<typeof USAGE_ROUTES.getUsage>;

/** The usage of one service, in one form for all services. */
export interface ServiceUse {
  readonly id: keyof Usage["services"];
  readonly title: string;
  readonly bytes: number;
  /** Reserved bytes, which count towards the quota in addition to `bytes`. */
  readonly pendingBytes: number;
  readonly quotaBytes: number | null;
  readonly counts: readonly (readonly [count: number, one: string, many: string])[];
  /** What happens when the quota is reached. */
  readonly atLimit: string;
  /** The command or setting with which the operator changes the quota. */
  readonly raise: string;
}

/** Returns the usage by service. `slug` is the organization's, for the commands. */
export function servicesOf({ services }: Usage, slug: string): readonly ServiceUse[] {
  const { telemetry, files, buckets, images, webhooks } = services;
  return [
    {
      id: "telemetry",
      title: "Telemetry",
      bytes: telemetry.bytes,
      pendingBytes: 0,
      quotaBytes: telemetry.quota_bytes,
      counts: [
        [telemetry.rows.logs, "log entry", "log entries"],
        [telemetry.rows.metrics, "metric row", "metric rows"],
        [telemetry.rows.traces, "span", "spans"],
      ],
      atLimit:
        "Ingestion answers 429 quota_exceeded with Retry-After and stores nothing of the request. OTLP exporters retry. Queries still work.",
      raise: `npx mooring quota ${slug} --stored 50GiB --data-dir ./data`,
    },
    {
      id: "files",
      title: "Files",
      bytes: files.bytes + files.trashed_bytes,
      pendingBytes: files.reserved_bytes,
      quotaBytes: files.quota_bytes,
      counts: [[files.count, "file", "files"]],
      atLimit:
        "Uploads are refused with 413 storage_quota_exceeded. Downloads still work. Files in the trash count too.",
      raise: `npx mooring quota ${slug} --files 1TiB --data-dir ./data`,
    },
    {
      id: "buckets",
      title: "Buckets",
      bytes: buckets.bytes,
      pendingBytes: 0,
      quotaBytes: buckets.quota_bytes,
      counts: [[buckets.objects, "object", "objects"]],
      atLimit: "Writing objects is refused. Reading and deleting still work. Older versions count too.",
      raise: "the setting s3_stored_bytes_max, for all organizations of the server",
    },
    {
      id: "images",
      title: "Images",
      bytes: images.bytes,
      pendingBytes: images.uploading_bytes,
      quotaBytes: images.quota_bytes,
      counts: [],
      atLimit: "Pushes are refused. Near the limit they get a Warning. Pulls still work.",
      raise: `npx mooring quota ${slug} --images 1TiB --data-dir ./data`,
    },
    {
      id: "webhooks",
      title: "Webhooks",
      bytes: webhooks.bytes,
      pendingBytes: 0,
      quotaBytes: webhooks.quota_bytes,
      counts: [[webhooks.events, "event", "events"]],
      atLimit: "Senders get 429 with Retry-After and retry later. A shorter retention frees space.",
      raise: "the setting webhook_stored_bytes_max, for all organizations of the server",
    },
  ];
}

export type Fill = "go" | "warn" | "stop";

/** Returns the used share of a quota (1 is full) and its state. Null without a quota. */
export function fillOf({
  bytes,
  pendingBytes,
  quotaBytes,
}: Pick<ServiceUse, "bytes" | "pendingBytes" | "quotaBytes">): {
  readonly share: number;
  readonly kind: Fill;
} | null {
  if (quotaBytes === null) return null;
  const share = quotaBytes === 0 ? 1 : (bytes + pendingBytes) / quotaBytes;
  return { share, kind: share >= 1 ? "stop" : share >= 0.8 ? "warn" : "go" };
}

/** A statement that counts the rows of telemetry by type and day. */
export const DAYS_SQL = ["logs", "metrics", "traces"]
  .map(
    (table) =>
      `SELECT '${table}' AS type, strftime(date_trunc('day', timestamp), '%Y-%m-%d') AS day, count(*) AS entries FROM ${table} GROUP BY ALL`,
  )
  .join("\nUNION ALL\n");

export const DAYS = 14;
export const TYPES = ["logs", "metrics", "traces"] as const;

export interface Day {
  readonly day: string;
  /** In the order of `TYPES`. */
  readonly counts: readonly number[];
}

/** Returns the last days, oldest first, including days without rows. */
export function daysOf(rows: readonly Readonly<Record<string, unknown>>[], now: Date): readonly Day[] {
  const found = new Map(rows.map((row) => [`${String(row["type"])} ${String(row["day"])}`, Number(row["entries"])]));
  return Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(now.getTime() - (DAYS - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return { day, counts: TYPES.map((type) => found.get(`${type} ${day}`) ?? 0) };
  });
}

/** Returns the start of the first day. */
export function firstDay(now: Date): string {
  return `${new Date(now.getTime() - (DAYS - 1) * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
}
