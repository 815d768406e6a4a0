import type { ActivityTables } from "./schema-activity.ts";
import type { AlertTables } from "./schema-alerts.ts";
import type { FileTables } from "./schema-files.ts";
import type { PeopleTables } from "./schema-people.ts";
import type { RegistryTables } from "./schema-registry.ts";
import type { S3Tables } from "./schema-s3.ts";
import type { TrustTables } from "./schema-trusts.ts";
import type { WebhookTables } from "./schema-webhooks.ts";

/**
 * Every table, as both databases have it. Times are integers of milliseconds since the epoch; flags are 0 or 1;
 * JSON is text; binary is bytes. PostgreSQL's `bigint` arrives as a number (all values stay below 2^53).
 */
export interface Tables
  extends ActivityTables, AlertTables, FileTables, PeopleTables, RegistryTables, S3Tables, TrustTables, WebhookTables {
  organization: {
    id: string;
    slug: string;
    name: string;
    token_lifetime_s: number;
    /** JSON: an `OrganizationPolicy`; members that it lacks are open. */
    policy: string;
    created_at: number;
  };
  project: {
    id: string;
    org_id: string;
    slug: string;
    name: string;
    visibility: "organization" | "private";
    /** Where the project's apps run, for people to see: `production`, `staging`, … */
    environment: string | null;
    created_at: number;
    /** A `ProjectState` of the contract, such as `active` or `archived`. */
    state: string;
    /** When the state began; null: it is active. */
    state_since: number | null;
  };
  app: { id: string; org_id: string; project_id: string; slug: string; name: string; created_at: number };
  person: {
    id: string;
    /** Lower case; unique. */
    email: string;
    name: string;
    /** argon2id in PHC form, or null before the set-up link was used. */
    password_hash: string | null;
    /** Runs the server. */
    instance_admin: number;
    /** To the minute; null: never signed in. */
    last_seen_at: number | null;
    /** When a mailed link, a provider or the operator proved whose the address is; null: nobody has. */
    verified_at: number | null;
    created_at: number;
  };
  member: { org_id: string; user_id: string; role: "owner" | "admin" | "developer" | "viewer"; created_at: number };
  project_member: {
    org_id: string;
    project_id: string;
    user_id: string;
    role: "maintainer" | "writer" | "reader";
    created_at: number;
  };
  invitation: {
    id: string;
    org_id: string;
    email: string;
    role: "owner" | "admin" | "developer" | "viewer";
    /** The hash of the link that the inviter sees. */
    token_hash: string;
    /** The hash of the link that was only mailed: using it verifies the address. Null: none was mailed. */
    mailed_token_hash: string | null;
    invited_by: string;
    created_at: number;
    expires_at: number;
    accepted_at: number | null;
    revoked_at: number | null;
    /** When a mail server last took a mail with its link. */
    email_sent_at: number | null;
    /** Why the last mail was not taken. */
    email_failure: string | null;
  };
  credential: {
    id: string;
    /** `app`: shown with its client id. `personal`: a token of the person who created it, shown with their e-mail address. */
    kind: "app" | "personal";
    client_id: string;
    org_id: string;
    /** Null: reaches the whole organization. */
    project_id: string | null;
    name: string;
    /** Space-separated, sorted. */
    scopes: string;
    created_by: string;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    /** Grows with every change that narrows what the credential may do. */
    epoch: number;
    last_used_at: number | null;
    last_used_ip: string | null;
    /** CIDR ranges with spaces between them; null: from anywhere. */
    allowed_addresses: string | null;
    /** 1: may do nothing until somebody approves it. */
    pending: number;
  };
  credential_secret: {
    id: string;
    credential_id: string;
    /** HMAC-SHA-256 under a key derived from the master key, hexadecimal. */
    hash: string;
    /** Last four characters, to distinguish two secrets. */
    hint: string;
    created_at: number;
    expires_at: number | null;
    last_used_at: number | null;
  };
  signing_key: {
    kid: string;
    alg: "ES256" | "RS256";
    /** JSON Web Key, public part. */
    public_jwk: string;
    /** PKCS #8, enveloped under the master key. */
    private_key: Uint8Array;
    created_at: number;
    /** Signs from here on; published before. */
    active_at: number;
    /** No longer signs from here on; null while in use. */
    retired_at: number | null;
    /** No longer published from here on. */
    removed_at: number | null;
  };
  /** The ordered feed of changes that narrow somebody's access. */
  auth_change: {
    seq: number;
    kind: "credential" | "token" | "organization" | "key";
    subject: string;
    epoch: number;
    at: number;
    /** The row may be forgotten after this time. */
    expires_at: number | null;
  };
  node: { id: string; applied_seq: number; started_at: number; seen_at: number };
  audit: {
    org_id: string;
    seq: number;
    id: string;
    at: number;
    actor_kind: "person" | "credential" | "system" | "anonymous";
    actor_id: string | null;
    action: string;
    target_kind: string | null;
    target_id: string | null;
    result: "success" | "denied" | "failure";
    ip: string | null;
    request_id: string | null;
    /** JSON object. */
    detail: string;
    prev_hash: string;
    hash: string;
  };
  /** The last row of each chain of `audit`, so that rows taken off the end are missed. */
  /** The visibility of a deleted project, which its rows keep. */
  deleted_project: { id: string; org_id: string; visibility: "organization" | "private"; deleted_at: number };
  audit_head: { org_id: string; seq: number; hash: string };
  idempotency: {
    /** SHA-256 of principal, route and key. */
    key_hash: string;
    /** Random, of the request that claimed the key last. */
    owner: string;
    fingerprint: string;
    /** 0 while the first request runs. */
    status: number;
    headers: string;
    /** Without values that are shown once. */
    body: string;
    /** With that, until the answer has left the server. */
    sealed: Uint8Array | null;
    created_at: number;
  };
  telemetry_file: {
    /** The telemetry directory that the file is in; see `telemetry/store-id`. */
    store_id: string;
    id: string;
    org_id: string;
    type: "logs" | "metrics" | "traces";
    /** Relative to the telemetry directory. */
    path: string;
    rows: number;
    bytes: number;
    min_us: number;
    max_us: number;
    /** UTC day of the newest row, `2026-11-20`; empty in files made before there were days. */
    day: string;
    /** JSON list of the attributes with a separate column in the file. */
    promoted: string;
    created_at: number;
    /** Version of the spellings of levels that gave the file its severities. */
    spellings: number;
    /** Replaced by a merge, or past its retention; kept on disk until no query can read it. */
    dropped_at: number | null;
  };
  /** Up to which batch of a telemetry directory's log an organization's rows of a type are in Parquet. */
  telemetry_progress: {
    store_id: string;
    org_id: string;
    type: "logs" | "metrics" | "traces";
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
  /** The organization's and the operator's settings for its telemetry; null: the server's default. */
  telemetry_policy: {
    org_id: string;
    retention_days_logs: number | null;
    retention_days_metrics: number | null;
    retention_days_traces: number | null;
    /** 2^53 − 1 means no limit. */
    stored_bytes_max: number | null;
    ingest_bytes_per_second: number | null;
    ingest_bytes_burst: number | null;
    /** Grows with every change of any row, so that servers read only the changes since. */
    revision: number;
    updated_at: number;
  };
  /** The telemetry directories that use this database. */
  telemetry_store: {
    id: string;
    /** The last time at which its server looked for rows past their retention. */
    seen_at: number;
    /** Nothing is dropped before this time: the clock had jumped ahead. */
    drops_held_until: number | null;
  };
  /** A directory of telemetry: the last report of its server, by the database's clock, and whether it is given up. */
  telemetry_node: { store_id: string; beat_at: number | null; given_up_at: number | null };
  /** A directory has, or had, rows of the organization. */
  telemetry_holding: { store_id: string; org_id: string };
  /** A request to erase rows. */
  telemetry_erasure: {
    id: string;
    org_id: string;
    /** JSON list of types. */
    types: string;
    /** The range of `timestamp`; null: open. */
    from_us: number | null;
    to_us: number | null;
    /** JSON object of what the rows must equal; null once every directory is done, since it may name a person. */
    match: string | null;
    /** Keyed hash of range and match, in hexadecimal. */
    match_digest: string;
    created_by: string;
    created_at: number;
    finished_at: number | null;
  };
  /** The share of one telemetry directory in an erasure. */
  telemetry_erasure_part: {
    erasure_id: string;
    store_id: string;
    state: "pending" | "running" | "done" | "failed";
    rows_erased: number;
    files_rewritten: number;
    /** JSON list of files in quarantine, which a person must examine. */
    quarantined: string;
    detail: string | null;
    finished_at: number | null;
  };
  /** Immutable bytes of an organization; see `stores/objects`. */
  blob: {
    id: string;
    /** The organization's, or `registry` for content of images, which several organizations share. */
    org_id: string;
    /** Where the bytes are: in `blob_data`, with a driver, or in other blobs, which `blob_part` lists. */
    place: "inline" | "driver" | "parts";
    /** The directory or bucket that a driver keeps the bytes in; empty for other places. */
    store_id: string;
    /** `writing`: some bytes may be missing; `dropped`: they are being deleted. Only a `live` one can be read. */
    state: "writing" | "live" | "dropped";
    size: number;
    /** Rows of other tables and blobs of parts that hold this blob. */
    refs: number;
    /** Since when nothing holds it; null while something does. */
    idle_since: number | null;
    /** Hexadecimal; null where it is not known yet: while it is written, and of parts. */
    sha256: string | null;
    /** JSON object: further digests by their algorithm, in hexadecimal. */
    digests: string;
    created_at: number;
  };
  /** The bytes of small blobs. */
  blob_data: { id: string; data: Uint8Array };
  /** The parts of a composed blob, in the order of `position`, then `seq`. No part is itself composed. */
  blob_part: {
    blob_id: string;
    /** Where the part begins in the blob of parts. */
    position: number;
    seq: number;
    /** The part's number, given by its sender; several ranges may have come as one part. */
    number: number;
    part_id: string;
    /** The range of the part's bytes that counts. */
    start: number;
    length: number;
  };
  migration: { name: string; applied_at: number };
}
