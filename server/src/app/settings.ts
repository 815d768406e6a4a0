import Type, { type Static, type TInteger, type TSchema } from "typebox";
import { AUDIT_SETTINGS } from "./audit-settings.ts";
import { BACKUP_SETTINGS } from "./backup-settings.ts";
import { EGRESS_SETTINGS } from "./egress-settings.ts";
import { DATABASE_SETTINGS } from "./database-settings.ts";
import { LIMIT_SETTINGS } from "./limit-settings.ts";
import { LOG_SETTINGS } from "./log-settings.ts";
import { MAIL_SETTINGS } from "./mail-settings.ts";
import { MASTER_KEY_SETTINGS } from "./master-key-settings.ts";
import { OIDC_SETTINGS } from "./oidc-settings.ts";
import { PROTOCOL_SETTINGS } from "./protocol-settings.ts";
import { QUERY_SETTINGS } from "./query-settings.ts";
import { REGISTRY_SETTINGS } from "./registry-settings.ts";
import { S3_TLS_SETTINGS, TLS_SETTINGS } from "./tls-settings.ts";
import { HTTP_URL, UPSTREAM_SETTINGS, url } from "./upstream-settings.ts";

/**
 * One option: where it may be set, its values, its effect. The list is also the documentation (`mooring serve --help`,
 * docs).
 */
export interface Setting {
  readonly name: string;
  readonly schema: TSchema;
  readonly default: unknown;
  readonly description: string;
  /** The rule for a value in words, if the schema's own message would not help. */
  readonly form?: string;
  /** Never printed, and given by a file or a variable only. */
  readonly secret?: boolean;
  /** A secret that is an address: its host and path are printed. */
  readonly secretUrl?: boolean;
}

const HOST_PORT = "host:port, for example 127.0.0.1:8080 or [::1]:8080";

const address = Type.String({ pattern: "^(\\[[0-9a-fA-F:.]+\\]|[^:\\[\\]]+):[0-9]{1,5}$" });
const ms = (minimum: number, maximum: number): TInteger => Type.Integer({ minimum, maximum });
const count = ms;
const days = Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: 36_500 })]);
const DAYS = "days from 1 to 36500";

const DAY_MS = 86_400_000;
const GIB = 1024 ** 3;

/** Every setting of the product, in the order of the documentation. Names end with their unit. */
export const SETTINGS = {
  data_dir: {
    schema: Type.String({ minLength: 1 }),
    default: "./data",
    description: "directory of all data",
  },
  listen: {
    schema: address,
    default: "127.0.0.1:8080",
    form: HOST_PORT,
    description: "host:port of the portal and every JSON API",
  },
  ...TLS_SETTINGS,
  ...PROTOCOL_SETTINGS,
  s3_listen: {
    schema: address,
    default: "127.0.0.1:9000",
    form: HOST_PORT,
    description: "host:port of the S3 gateway",
  },
  metrics_listen: {
    schema: Type.Union([Type.Literal("off"), address]),
    default: "127.0.0.1:9464",
    form: `${HOST_PORT}, or off`,
    description: "host:port of Prometheus' /metrics, or off",
  },
  ...DATABASE_SETTINGS,
  ...MASTER_KEY_SETTINGS,
  portal_url: {
    schema: url,
    default: null,
    form: HTTP_URL,
    description: "public address of the portal; if not set, derived from listen",
  },
  portal_dir: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1 })]),
    default: null,
    form: "a directory",
    description: "directory of the portal's build; without it, the directory that npm start fills",
  },
  identity_url: {
    schema: url,
    default: null,
    form: HTTP_URL,
    description: "public address of the identity service, and issuer of its tokens",
  },
  ingest_url: { schema: url, default: null, form: HTTP_URL, description: "public address of telemetry ingestion" },
  query_url: { schema: url, default: null, form: HTTP_URL, description: "public address of the query interface" },
  storage_url: { schema: url, default: null, form: HTTP_URL, description: "public address of file storage" },
  registry_domain: {
    schema: Type.Union([Type.Null(), Type.String({ pattern: "^[^/:]+(:[0-9]+)?$" })]),
    default: null,
    form: "host or host:port, without a scheme",
    description: "public host[:port] of the container registry",
  },
  s3_endpoint: {
    schema: url,
    default: null,
    form: HTTP_URL,
    description: "public address of the S3 gateway; if not set, derived from s3_listen",
  },
  s3_domain: {
    schema: Type.Union([Type.Null(), Type.String({ pattern: "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$" })]),
    default: null,
    form: "a host name in lower case, without a port",
    description:
      "domain below which each bucket has a host (BUCKET.s3.example.com); without it, the path names the bucket",
  },
  s3_region: {
    schema: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,30}$" }),
    default: "us-east-1",
    form: "lower-case letters, digits and hyphens",
    description: "region of the S3 gateway; it accepts signatures for this region, us-east-1 and auto",
  },
  s3_signature_v2: {
    schema: Type.Enum(["refuse", "urls", "all"]),
    default: "refuse",
    form: "refuse, urls or all",
    description:
      "where the S3 gateway accepts the old Signature V2: nowhere, in presigned URLs and forms, or everywhere",
  },
  ...S3_TLS_SETTINGS,
  s3_public_organization: {
    schema: Type.Union([Type.Null(), Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,37}[a-z0-9]$" })]),
    default: null,
    form: "the slug of an organization",
    description: "organization whose public buckets answer requests without a signature; if not set, the oldest one",
  },
  s3_stored_bytes_max: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })]),
    default: null,
    description: "bytes of objects, including all versions, that an organization may store in its buckets",
  },
  s3_lifecycle_interval_ms: {
    schema: ms(1000, DAY_MS),
    default: 3_600_000,
    description: "how often the server applies the lifecycle rules of a bucket",
  },
  s3_lifecycle_day_ms: {
    schema: ms(1000, DAY_MS),
    default: DAY_MS,
    description: "length of a day in lifecycle rules; shorten it only to test rules",
  },
  webhooks_url: { schema: url, default: null, form: HTTP_URL, description: "public address of incoming webhooks" },
  ...OIDC_SETTINGS,
  ...MAIL_SETTINGS,
  ...BACKUP_SETTINGS,
  trusted_proxies: {
    schema: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+(/[0-9]{1,3})?$" })),
    default: [],
    form: "IP addresses or CIDR blocks, separated by commas",
    description: "proxies whose X-Forwarded-For the server trusts",
  },
  ...LOG_SETTINGS,
  connections_max: {
    schema: count(1, 1_000_000),
    default: 10_000,
    description:
      "open connections of each listening address; further ones are closed. Each connection needs a file descriptor",
  },
  slow_request_ms: {
    schema: ms(1, DAY_MS),
    default: 1000,
    description: "requests slower than this are logged at info",
  },
  stop_timeout_ms: {
    schema: ms(100, 600_000),
    default: 10_000,
    description: "how long a stop waits for running requests",
  },
  rate_limit_per_second: {
    schema: count(1, 1_000_000),
    default: 1000,
    description: "requests per second that a credential may send",
  },
  rate_limit_burst: {
    schema: count(1, 10_000_000),
    default: 2000,
    description: "requests that a credential may send at once",
  },
  ingest_workers: {
    schema: Type.Union([Type.Null(), count(1, 16)]),
    default: null,
    description: "threads that check large ingest bodies; if not set, derived from the number of cores",
  },
  records_read_timeout_ms: {
    schema: ms(100, 600_000),
    default: 10_000,
    description: "time limit of each list, filter and count of records; the caller gets `read_timeout`",
  },
  ...QUERY_SETTINGS,
  tail_concurrency_organization: {
    schema: count(1, 10_000),
    default: 100,
    description: "live tails of one organization at the same time",
  },
  compaction_rows_bytes: {
    schema: Type.Integer({ minimum: 1024, maximum: GIB }),
    default: 16 * 1024 ** 2,
    description: "size of an organization's rows, as NDJSON, at which they are written to a Parquet file",
  },
  compaction_interval_ms: {
    schema: ms(100, DAY_MS),
    default: 300_000,
    description: "longest time until rows are written to Parquet",
  },
  retention_days_logs: {
    schema: days,
    default: null,
    form: DAYS,
    description:
      "default days that logs are kept; none means until somebody deletes them. Organizations may choose others",
  },
  retention_days_metrics: {
    schema: days,
    default: null,
    form: DAYS,
    description: "default days that metrics are kept",
  },
  retention_days_traces: { schema: days, default: null, form: DAYS, description: "default days that traces are kept" },
  retention_days_max: {
    schema: days,
    default: null,
    form: DAYS,
    description: "maximum days that an organization can choose for telemetry",
  },
  ...AUDIT_SETTINGS,
  retention_grace_hours: {
    schema: Type.Integer({ minimum: 0, maximum: 8760 }),
    default: 168,
    description:
      "how long the former retention still counts after an organization has changed it, so that it can undo the change",
  },
  retention_delete_hours: {
    schema: Type.Integer({ minimum: 0, maximum: 8760 }),
    default: 24,
    description: "how long files whose rows are all past their retention stay on the disk, hidden from queries",
  },
  retention_check_ms: {
    schema: ms(100, DAY_MS),
    default: 60_000,
    description: "how often the server looks for telemetry that is past its retention",
  },
  telemetry_stored_bytes_max: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })]),
    default: null,
    description:
      "bytes of telemetry that an organization may store on this server; `mooring quota` sets it for one organization",
  },
  ingest_bytes_per_second: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })]),
    default: null,
    description: "bytes of rows per second that an organization may send; `mooring quota` sets it for one organization",
  },
  ingest_bytes_burst: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })]),
    default: null,
    description: "bytes of rows that an organization may send at once; if not set, ten times the bytes per second",
  },
  files_size_bytes_max: {
    schema: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    default: 5 * GIB,
    description: "maximum bytes of one file",
  },
  files_stored_bytes_max: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })]),
    default: null,
    description: "bytes of files that an organization may store; `mooring quota` sets it for one organization",
  },
  disk_floor_bytes: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })]),
    default: null,
    description:
      "free bytes of the disk that granted uploads of files never take; if not set, 2 GiB or 3 % of the disk, whichever is more, but at most 10 %",
  },
  organization_stored_bytes_max: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })]),
    default: null,
    description:
      "bytes over all kinds that each organization may store if there are several, until the operator sets a quota for it; if not set, half of the disk",
  },
  files_trash_days: {
    schema: count(0, 90),
    default: 7,
    description:
      "default days in which deleted files can be restored; 0 means no trash. Organizations may choose others",
  },
  presigned_url_lifetime_s: {
    schema: count(1, 604_800),
    default: 900,
    description: "seconds for which a presigned URL is valid; a transfer that began in time may finish later",
  },
  resumable_upload_lifetime_s: {
    schema: count(1, 2_592_000),
    default: 86_400,
    description: "seconds after its last byte in which a resumable upload can be continued",
  },
  upload_idle_timeout_ms: {
    schema: ms(100, DAY_MS),
    default: 60_000,
    description: "the server ends an upload that sends no byte for this time",
  },
  upload_cleanup_ms: {
    schema: ms(100, DAY_MS),
    default: 60_000,
    description: "how often the server looks for abandoned uploads",
  },
  ...REGISTRY_SETTINGS,
  object_grace_ms: {
    schema: ms(100, 30 * DAY_MS),
    default: 3_600_000,
    description: "how long content that no file uses is kept before it is deleted",
  },
  object_collect_ms: {
    schema: ms(100, DAY_MS),
    default: 60_000,
    description: "how often the server looks for content that no file uses",
  },
  ...UPSTREAM_SETTINGS,
  webhooks_private_addresses: {
    schema: Type.Enum(["refuse", "allow"]),
    default: "refuse",
    form: "refuse or allow",
    description:
      "whether webhooks and requests for keys of trusted issuers may use plain HTTP and addresses that are not public (this machine, private networks). With allow, everybody who may create an alert or a trust can send requests to all addresses that this server can reach",
  },
  ...EGRESS_SETTINGS,
  webhooks_allowed_addresses: {
    schema: Type.Array(Type.String({ pattern: "^[0-9a-fA-F:.]+(/[0-9]{1,3})?$" })),
    default: [],
    form: "IP addresses or CIDR blocks, separated by commas",
    description:
      "exceptions: addresses that are not public, but that webhooks and requests for keys of trusted issuers may use, also with plain HTTP",
  },
  webhook_rate_limit_per_second: {
    schema: count(1, 1_000_000),
    default: 1000,
    description: "requests per second that one webhook accepts over a longer time",
  },
  webhook_rate_limit_burst: {
    schema: count(1, 10_000_000),
    default: 2000,
    description: "requests that one webhook accepts at once",
  },
  webhook_stored_bytes_max: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })]),
    default: null,
    description: "bytes of events that an organization may store; beyond it, senders get 429",
  },
  webhook_retention_days: {
    schema: Type.Integer({ minimum: 1, maximum: 36_500 }),
    default: 30,
    form: DAYS,
    description: "default days that events of webhooks are kept. Projects may choose others",
  },
  ...LIMIT_SETTINGS,
  own_telemetry_organization: {
    schema: Type.Union([Type.Null(), Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,37}[a-z0-9]$" })]),
    default: null,
    form: "the slug of an organization",
    description: "organization that gets the server's own logs, metrics and a span for each request; if not set, none",
  },
  own_telemetry_metrics_interval_ms: {
    schema: ms(100, DAY_MS),
    default: 15_000,
    description: "how often the server's own metrics are sampled for that organization",
  },
} as const satisfies Record<string, Omit<Setting, "name">>;

export type SettingName = keyof typeof SETTINGS;

/** The effective settings, validated and frozen. */
export type Config = { readonly [N in SettingName]: Static<(typeof SETTINGS)[N]["schema"]> };

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export function settingOf(name: SettingName): Setting {
  return { name, ...SETTINGS[name] };
}
