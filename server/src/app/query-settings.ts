import Type, { type TInteger } from "typebox";

const GIB = 1024 ** 3;

const count = (minimum: number, maximum: number): TInteger => Type.Integer({ minimum, maximum });
const ms = count;

/** Limits of SQL statements. */
export const QUERY_SETTINGS = {
  query_timeout_ms: { schema: ms(10, 600_000), default: 10_000, description: "default time limit of a query" },
  query_timeout_ms_max: {
    schema: ms(10, 3_600_000),
    default: 60_000,
    description: "longest time limit that a query may set",
  },
  query_rows_max: { schema: count(1, 100_000_000), default: 1_000_000, description: "maximum rows of one result" },
  query_memory_bytes: {
    schema: Type.Integer({ minimum: 64 * 1024 ** 2, maximum: 256 * GIB }),
    default: GIB,
    description: "memory that one query may use",
  },
  query_concurrency: { schema: count(1, 256), default: 8, description: "queries that run at the same time" },
  query_concurrency_organization: {
    schema: count(1, 256),
    default: 4,
    description: "queries of one organization at the same time",
  },
  query_concurrency_actor: {
    schema: Type.Union([Type.Null(), count(1, 256)]),
    default: null,
    description:
      "queries of one credential or person at the same time; if not set, half of those that the organization can have",
  },
  query_waiting_organization: {
    schema: count(1, 10_000),
    default: 32,
    description: "queries of one organization that wait for others; further ones get 429",
  },
  query_waiting_actor: {
    schema: count(1, 10_000),
    default: 16,
    description: "queries of one credential or person that wait for others; further ones get 429",
  },
  query_wait_ms: {
    schema: ms(100, 600_000),
    default: 10_000,
    description: "how long a query waits for others until it gets 429",
  },
  query_scan_bytes_max: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })]),
    default: 64 * GIB,
    description: "bytes of the files that one query may open; none means no limit",
  },
  query_scan_bytes_per_day_actor: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })]),
    default: null,
    description:
      "bytes of files that the queries of one credential, person or alert may open in a day (UTC), on this server since its start",
  },
  query_sandbox: {
    schema: Type.Enum(["require", "warn", "off"]),
    default: "warn",
    description:
      "if this machine lacks layers of the query sandbox, require refuses SQL, and warn runs it and logs the missing layers. off never isolates",
  },
} as const;
