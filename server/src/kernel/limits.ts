/** Limits that are fixed by the interface. Limits that an operator may change are settings, see `app/config.ts`. */

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
/** Most errors that one 400 reports. */
export const PROBLEM_PLACES_MAX = 20;
/** Length of `level`, in characters. */
export const LEVEL_CHARS_MAX = 32;
/** Length of `status` of a span, in characters. */
export const STATUS_CHARS_MAX = 64;
/** Length of one SQL statement, in bytes of UTF-8. */
export const SQL_BYTES_MAX = 64 * 1024;
/** Body of a request on our own JSON API, in bytes. */
export const JSON_BODY_BYTES_MAX = 1024 * 1024;
/** The most values in such a body, including lists and objects, and its deepest nesting. */
export const JSON_VALUES_MAX = 20_000;
export const JSON_DEPTH_MAX = 64;
/** Body of a request without a token, whose sender is unknown. */
export const PUBLIC_BODY_BYTES_MAX = 16 * 1024;
/** How long such a body may take to arrive. */
export const PUBLIC_BODY_TIMEOUT_MS = 30_000;
/** The most bytes of a refused body that are drained so that the sender sees the answer, and the most time. */
export const REFUSED_BODY_BYTES_MAX = 64 * 1024 * 1024;
export const REFUSED_BODY_TIME_MS = 30_000;
/** Bodies of running requests: of all organizations, and of one. */
export const BODIES_BYTES_MAX = 512 * 1024 * 1024;
export const BODIES_BYTES_ORGANIZATION_MAX = 256 * 1024 * 1024;
/** Uploads of one organization at once. One credential or person has at most half, and further ones wait so long. */
export const UPLOADS_ORGANIZATION_MAX = 64;
export const UPLOAD_WAIT_MS = 30_000;
/** Length of an `Idempotency-Key`, in characters. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
/** How long an `Idempotency-Key` is stored. */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;
/** How long the digest of a body is stored whose entries have their own times, see `surfaces/telemetry/protocols`. */
export const REPEAT_WINDOW_MS = 15 * 60 * 1000;
/** Body of a request of another protocol (Prometheus, Loki, …) after decompression, in bytes. */
export const PROTOCOL_BODY_BYTES_MAX = 64 * 1024 * 1024;
/** Messages and numbers in one OTLP request. Each takes memory while it is read, even if it has few bytes. */
export const OTLP_VALUES_MAX = 2_000_000;
/** Bytes of rows from one OTLP request. Each record repeats the attributes of its resource. */
export const OTLP_ROWS_BYTES_MAX = 64 * 1024 * 1024;
/** Buckets or quantiles of one OTLP data point. Each becomes a row. */
export const OTLP_BUCKETS_MAX = 1000;
/** Body of one event, in bytes (CONTRACT "Webhooks"). */
export const WEBHOOK_BODY_BYTES_MAX = 1024 * 1024;
/**
 * A batch of CloudEvents up to this size is split into events, unless their header fields take more bytes. A larger
 * batch is one event.
 */
export const WEBHOOK_BATCH_EVENTS_MAX = 1000;
export const WEBHOOK_BATCH_HEADER_BYTES_MAX = 4 * 1024 * 1024;
/** Nested levels of objects and lists. A deeper body is stored as text and not parsed. */
export const WEBHOOK_JSON_DEPTH_MAX = 100;
/** The most names that are counted for the total of a prefix. Beyond it, the total is marked as a lower bound. */
export const FILE_NAMES_COUNTED_MAX = 10_000;
/** Accounts or organizations that one search by part of a name reads before it returns a cursor. */
export const SEARCHED_ROWS_MAX = 5_000;
/**
 * The most rows that are counted for a number in a list of the operator. Beyond it, the number is marked as a lower
 * bound.
 */
export const OPERATOR_ROWS_COUNTED_MAX = 1_000;
/** Jobs of one kind that are counted for the numbers of the queue. */
export const JOBS_COUNTED_MAX = 10_000;
/** Events that one request sends again. */
export const WEBHOOK_REPLAY_EVENTS_MAX = 10_000;
/** How long a session lasts without use, and in total. */
export const SESSION_IDLE_MS = 7 * 24 * 60 * 60 * 1000;
export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** How long a confirmation of identity is valid for dangerous acts. */
export const CONFIRMATION_MS = 10 * 60 * 1000;
/** Lifetime of the access token that a session gives. */
export const SESSION_TOKEN_LIFETIME_S = 300;
/** Lifetime of the access token of a login of the command line. */
export const LOGIN_TOKEN_LIFETIME_S = 15 * 60;
/** How long a login of the command line lasts without use, and how many a person has. The longest unused one ends. */
export const LOGIN_IDLE_MS = 30 * 24 * 60 * 60 * 1000;
export const LOGINS_MAX = 50;
/** How long an approved code may be used, and how long a device code waits for its person (RFC 8628). */
export const LOGIN_CODE_MS = 60 * 1000;
export const DEVICE_CODE_MS = 10 * 60 * 1000;
/** The shortest interval between two polls. Each poll that comes too early adds as much. */
export const DEVICE_POLL_S = 5;
/** Device codes that wait: of one address, and in all. */
export const DEVICE_CODES_OF_ADDRESS_MAX = 20;
export const DEVICE_CODES_MAX = 10_000;
/** Wrong device codes of a person before the first delay. */
export const DEVICE_CODE_FAILURES = 5;
/** How long a sign-in may take from its first step to its last, and how often the last step may be tried. */
export const SIGN_IN_ATTEMPT_MS = 5 * 60 * 1000;
export const SIGN_IN_ATTEMPT_TRIES_MAX = 5;
/** Failures of one account or client at one place before the next one has to wait. */
export const FAILURES_WITHOUT_DELAY = 10;
/** The longest wait after failures, and the time after the last failure when they are forgotten. */
export const FAILURE_DELAY_S_MAX = 30;
export const FAILURES_FORGOTTEN_AFTER_MS = 15 * 60 * 1000;
/** Pairs of account and place whose failures are kept in memory, about 250 bytes each. Beyond it the one that failed longest ago is forgotten. */
export const FAILURE_KEYS_MAX = 50_000;
/** How long the server remembers a browser after a sign-in, and for how many people. */
export const DEVICE_LIFETIME_MS = 365 * 24 * 60 * 60 * 1000;
export const DEVICE_PEOPLE_MAX = 5;
/** How long a link to set a new password is valid, and how many are mailed to one account in an hour. */
export const ACCOUNT_LINK_MS = 60 * 60 * 1000;
export const ACCOUNT_LINKS_MAILED_MAX = 5;
/** Passwords that are hashed at one time, and how long the next one waits for its turn. */
export const PASSWORD_HASHES_AT_ONCE = 2;
export const PASSWORD_HASH_WAIT_MS = 10_000;
/** The stored part of a browser's name, in characters. */
export const USER_AGENT_CHARS_MAX = 256;
