/** Tables of webhooks; see `schema.ts` for the value types, and `domain/webhooks` for their use. */
export interface WebhookTables {
  webhook: {
    id: string;
    org_id: string;
    project_id: string;
    name: string;
    paused: number;
    /** JSON: verification, handshakes, de-duplication, response. */
    settings: string;
    /** JSON of the secrets for verification, sealed under the master key; null: there are none. */
    secrets: Uint8Array | null;
    secrets_version: number;
    /** Null: the project's setting applies. */
    retention_days: number | null;
    created_by: string;
    created_at: number;
    updated_at: number;
    /** Grows with every change. */
    revision: number;
    /** From this time it is invisible, and its events are deleted in steps. */
    deleted_at: number | null;
  };
  /** Addresses of webhooks: the current one, and old ones. */
  webhook_url: {
    id: string;
    webhook_id: string;
    org_id: string;
    /** Keyed hash of the token, in hexadecimal. */
    token_hash: string;
    /** The lookup key of the hash, as in `credential_secret`. */
    hash_key: string | null;
    /** Sealed under the master key, so that it can be shown again. Null once it is retired. */
    token: Uint8Array | null;
    /** Last four characters, to tell addresses apart. */
    hint: string;
    created_at: number;
    /** Null: the current address. */
    expires_at: number | null;
    /** For a replaced address, requests since the replacement. Otherwise all requests. */
    hits: number;
    last_hit_at: number | null;
  };
  /** The last number given to an event. */
  webhook_head: { id: string; seq: number };
  webhook_event: {
    /** Grows in the order of commits, over all webhooks. */
    seq: number;
    id: string;
    org_id: string;
    project_id: string;
    webhook_id: string;
    received_at: number;
    method: string;
    /** As sent, without the question mark. Secrets are replaced as in `headers`. */
    query: string;
    /**
     * JSON: [name, value] in the order of the request. A value that looks like a secret is replaced by a keyed hash.
     */
    headers: string;
    content_type: string | null;
    size: number;
    /** Null: stored in `webhook_body`. */
    body: Uint8Array | null;
    ip: string;
    /** The scheme that verified it, or `none`. */
    verified: string;
    type: string | null;
    /** Hash of the sender's id for the event. */
    dedup_key: string | null;
    /** How often the event arrived again. */
    duplicates: number;
  };
  /** Large bodies. */
  webhook_body: { seq: number; org_id: string; blob_id: string };
  /** Requests of the last day that a webhook's own rules refused. */
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
    /** The first bytes of the body. */
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
    /** Why it was paused. */
    reason: string | null;
    secret: Uint8Array;
    secret_version: number;
    previous_secret: Uint8Array | null;
    previous_secret_until: number | null;
    /** Events up to this number were sent, or are in `webhook_delivery`. */
    position: number;
    delivered: number;
    /** Consecutive failed attempts, and since when. */
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
  /** Events whose first attempt failed, and events to send again. */
  webhook_delivery: {
    /** The `webhook-id` of a replay. A first delivery uses the event's id. */
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
    /** Empty: events that were deleted before webhooks were counted one by one. */
    webhook_id: string;
    events: number;
    bytes: number;
    /** Number of events ever deleted. */
    purged: number;
  };
  /** Settings for a project's webhooks; null means the server's default. */
  webhook_policy: { project_id: string; org_id: string; retention_days: number | null; updated_at: number };
}
