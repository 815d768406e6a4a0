/** Tables of incoming webhooks; see `schema.ts` for what their columns may hold, and `domain/webhooks` for what they are for. */
export interface WebhookTables {
  webhook: {
    id: string;
    org_id: string;
    project_id: string;
    name: string;
    paused: number;
    /** JSON: verification, handshakes, de-duplication, response. */
    settings: string;
    /** JSON of secrets to verify by, sealed under the master key; null: there are none. */
    secrets: Uint8Array | null;
    secrets_version: number;
    /** Null: as its project says. */
    retention_days: number | null;
    created_by: string;
    created_at: number;
    updated_at: number;
    /** Grows with every change. */
    revision: number;
    /** From then on it is invisible, and its events are deleted step by step. */
    deleted_at: number | null;
  };
  /** Addresses of webhooks: the present one, and former ones. */
  webhook_url: {
    id: string;
    webhook_id: string;
    org_id: string;
    /** Keyed hash of the token, in hexadecimal. */
    token_hash: string;
    /** Sealed under the master key, to be shown again; null once it is retired for good. */
    token: Uint8Array | null;
    /** Last four characters, to distinguish two addresses. */
    hint: string;
    created_at: number;
    /** Null: the present one. */
    expires_at: number | null;
    /** Requests since another took its place; before, all. */
    hits: number;
    last_hit_at: number | null;
  };
  /** The last number that an event was given. */
  webhook_head: { id: string; seq: number };
  webhook_event: {
    /** Rises in the order of the commits, over all webhooks. */
    seq: number;
    id: string;
    org_id: string;
    project_id: string;
    webhook_id: string;
    received_at: number;
    method: string;
    /** As it was sent, without the question mark; secrets as in `headers`. */
    query: string;
    /** JSON: [name, value] in the order in which they came; of what looks like a secret a keyed hash. */
    headers: string;
    content_type: string | null;
    size: number;
    /** Null: in `webhook_body`. */
    body: Uint8Array | null;
    ip: string;
    /** The scheme that verified it, or `none`. */
    verified: string;
    type: string | null;
    /** Hash of what the sender calls the event. */
    dedup_key: string | null;
    /** How often it came again. */
    duplicates: number;
  };
  /** Large bodies. */
  webhook_body: { seq: number; org_id: string; blob_id: string };
  /** Requests that were refused by a webhook's own rules, for a day. */
  webhook_rejection: {
    id: string;
    org_id: string;
    webhook_id: string;
    at: number;
    reason: string;
    method: string;
    query: string;
    headers: string;
    size: number;
    /** The beginning of it. */
    body: Uint8Array;
    ip: string;
  };
  webhook_destination: {
    id: string;
    org_id: string;
    webhook_id: string;
    name: string;
    url: string;
    /** JSON: filter, order, rate. */
    settings: string;
    state: "active" | "paused" | "stopped";
    /** Why it was stopped. */
    reason: string | null;
    secret: Uint8Array;
    secret_version: number;
    previous_secret: Uint8Array | null;
    previous_secret_until: number | null;
    /** Events up to this number were sent, or are in `webhook_delivery`. */
    position: number;
    delivered: number;
    /** Attempts that failed since the last one that did not, and since when. */
    failures: number;
    failing_since: number | null;
    last_attempt_at: number | null;
    last_status: number | null;
    last_error: string | null;
    created_by: string;
    created_at: number;
    updated_at: number;
    revision: number;
  };
  /** Events that a destination has not taken at the first attempt, or is to get once more. */
  webhook_delivery: {
    /** The `webhook-id` of a replay; the first time it is the event's. */
    id: string;
    org_id: string;
    webhook_id: string;
    destination_id: string;
    event_id: string;
    event_seq: number;
    state: "pending" | "delivered" | "dead";
    attempts: number;
    created_at: number;
    next_attempt_at: number | null;
    last_attempt_at: number | null;
    last_status: number | null;
    last_error: string | null;
  };
  webhook_consumer: {
    webhook_id: string;
    name: string;
    org_id: string;
    /** Events up to this number are done. */
    position: number;
    lease_id: string | null;
    lease_until: number | null;
    /** The last event of the lease. */
    lease_position: number | null;
    created_at: number;
    updated_at: number;
  };
  /** Counters of an organization's events. */
  webhook_usage: {
    org_id: string;
    events: number;
    bytes: number;
    /** Events deleted since the first. */
    purged: number;
  };
  /** The settings of a project's webhooks; null: the server's default. */
  webhook_policy: { project_id: string; org_id: string; retention_days: number | null; updated_at: number };
}
