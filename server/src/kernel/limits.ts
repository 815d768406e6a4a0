/** Limits that the interface fixes. Those an operator may change are settings, see `app/config.ts`. */

/** Entries in one ingest request (reference, "Limits"). */
export const INGEST_ENTRIES_MAX = 1000;
/** Body of one ingest request after decompression, in bytes. */
export const INGEST_BODY_BYTES_MAX = 10 * 1024 * 1024;
/** One ingest entry as JSON text, in bytes. */
export const INGEST_ENTRY_BYTES_MAX = 256 * 1024;
/** Nesting of `attributes`. */
export const ATTRIBUTES_DEPTH_MAX = 32;
/** Keys in one entry, all levels counted. */
export const ENTRY_KEYS_MAX = 256;
/** Bad places reported in one 400. */
export const PROBLEM_PLACES_MAX = 20;
/** Length of `level`, in characters. */
export const LEVEL_CHARS_MAX = 32;
/** Length of `status` of a span, in characters. */
export const STATUS_CHARS_MAX = 64;
/** Length of one SQL statement, in bytes of UTF-8. */
export const SQL_BYTES_MAX = 64 * 1024;
/** Body of a request on our own JSON API, in bytes. */
export const JSON_BODY_BYTES_MAX = 1024 * 1024;
/** Values in such a body, lists and objects counted as well, and how deep they are nested. */
export const JSON_VALUES_MAX = 20_000;
export const JSON_DEPTH_MAX = 64;
/** Body of a request that needs no token: its sender is not known yet. */
export const PUBLIC_BODY_BYTES_MAX = 16 * 1024;
/** How long such a body may take to arrive. */
export const PUBLIC_BODY_TIMEOUT_MS = 30_000;
/** How much of a refused body is still read so that its sender sees the answer, and for how long. */
export const REFUSED_BODY_BYTES_MAX = 64 * 1024 * 1024;
export const REFUSED_BODY_TIME_MS = 30_000;
/** Bodies of requests under way at one time: of all organizations, and of one. */
export const BODIES_BYTES_MAX = 512 * 1024 * 1024;
export const BODIES_BYTES_ORGANIZATION_MAX = 256 * 1024 * 1024;
/** Length of an `Idempotency-Key`, in characters. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
/** How long an `Idempotency-Key` is remembered. */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;
/** Messages and numbers in one OTLP request: each costs memory while it is read, however few bytes it has. */
export const OTLP_VALUES_MAX = 2_000_000;
/** Bytes of rows from one OTLP request: each record repeats the attributes of its resource. */
export const OTLP_ROWS_BYTES_MAX = 64 * 1024 * 1024;
/** Buckets, or quantiles, of one OTLP data point: each is a row. */
export const OTLP_BUCKETS_MAX = 1000;
/** Body of one event, in bytes (CONTRACT "Webhooks"). */
export const WEBHOOK_BODY_BYTES_MAX = 1024 * 1024;
/**
 * Each event of a batch of CloudEvents up to this size becomes a separate event, unless their header fields take more
 * bytes; a larger batch is one event.
 */
export const WEBHOOK_BATCH_EVENTS_MAX = 1000;
export const WEBHOOK_BATCH_HEADER_BYTES_MAX = 4 * 1024 * 1024;
/** Nested levels of objects and lists; a deeper body is kept as text, and not parsed. */
export const WEBHOOK_JSON_DEPTH_MAX = 100;
/** Names that are counted for the total of a prefix; with more of them the total says that it is a lower bound. */
export const FILE_NAMES_COUNTED_MAX = 10_000;
/** Accounts or organizations that one search by part of a name reads; then it returns where it continues. */
export const SEARCHED_ROWS_MAX = 5_000;
/** Rows that are counted for a number beside a list of the operator; with more of them the number says that it is a lower bound. */
export const OPERATOR_ROWS_COUNTED_MAX = 1_000;
/** Jobs of one kind that are read for the numbers of the queue. */
export const JOBS_COUNTED_MAX = 10_000;
/** Events that one request sends again. */
export const WEBHOOK_REPLAY_EVENTS_MAX = 10_000;
/** How long a person stays signed in without coming back, and at all. */
export const SESSION_IDLE_MS = 7 * 24 * 60 * 60 * 1000;
export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** How long a proof of who one is counts for dangerous acts. */
export const CONFIRMATION_MS = 10 * 60 * 1000;
/** Lifetime of the access token that a session gives. */
export const SESSION_TOKEN_LIFETIME_S = 300;
/** How long a sign-in may take from its first step to its last, and how often the last may be tried. */
export const SIGN_IN_ATTEMPT_MS = 5 * 60 * 1000;
export const SIGN_IN_ATTEMPT_TRIES_MAX = 5;
/** Failures of one account or client at one place that are answered before the next one has to wait. */
export const FAILURES_WITHOUT_DELAY = 10;
/** The longest wait that failures cause, and how long after the last one they are forgotten. */
export const FAILURE_DELAY_S_MAX = 30;
export const FAILURES_FORGOTTEN_AFTER_MS = 15 * 60 * 1000;
/** Pairs of account and place whose failures are kept in memory, about 250 bytes each. Beyond it the one that failed longest ago is forgotten. */
export const FAILURE_KEYS_MAX = 50_000;
/** How long a browser is known in which somebody signed in, and how many people's it can be. */
export const DEVICE_LIFETIME_MS = 365 * 24 * 60 * 60 * 1000;
export const DEVICE_PEOPLE_MAX = 5;
/** How long a link lives with which a person sets a new password, and how many are mailed to one account in an hour. */
export const ACCOUNT_LINK_MS = 60 * 60 * 1000;
export const ACCOUNT_LINKS_MAILED_MAX = 5;
/** Passwords that are hashed at one time, and how long the next one waits for its turn. */
export const PASSWORD_HASHES_AT_ONCE = 2;
export const PASSWORD_HASH_WAIT_MS = 10_000;
/** The stored part of a browser's name, in characters. */
export const USER_AGENT_CHARS_MAX = 256;
