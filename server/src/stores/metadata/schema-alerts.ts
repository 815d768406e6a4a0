/** Tables of jobs, saved queries, rules for rows, and alerts; see `schema.ts` for the value types. */
export interface AlertTables {
  /** Durable jobs; see `stores/jobs`. */
  job: {
    id: string;
    kind: string;
    /** Unique within the kind. */
    key: string;
    /** Usually an organization's id. Jobs of one group share the places of a node fairly. */
    group_key: string;
    /** JSON. */
    payload: string;
    /** When it should run, or during a run, when its lease ends. */
    due_at: number;
    /** Grows with every claim and every change, so that an outdated run cannot finish the job. */
    fence: number;
    /** The node that runs it, or null while it waits. */
    owner: string | null;
    /** Consecutive failed runs. */
    attempts: number;
    last_error: string | null;
    created_at: number;
    /** Runs that started since a run last ended. */
    claims: number;
    /** Since when the job is parked, because each run ended its node; null when it is not parked. */
    parked_at: number | null;
    /** When its last finished run started, and how long it took. Null: none yet. */
    ran_at: number | null;
    ran_ms: number | null;
  };
  saved_query: {
    id: string;
    org_id: string;
    /** Null: belongs to the organization. */
    project_id: string | null;
    /** The project's id, or an empty text for the organization. Names are unique within it. */
    place: string;
    name: string;
    description: string;
    sql: string;
    /** JSON: values by position or by name. */
    parameters: string;
    /** JSON list of the parameter names in the statement. */
    parameter_names: string;
    /** A user id or credential id. */
    created_by: string;
    created_at: number;
    /** The last author. An alert shows only what this person or credential may see. */
    updated_by: string;
    updated_at: number;
    revision: number;
  };
  /** The queries that have run for a while, with the node that runs each. */
  running_query: {
    id: string;
    org_id: string;
    node_id: string;
    actor_kind: string;
    actor_id: string;
    surface: string;
    saved_query_id: string | null;
    request_id: string | null;
    statement: string;
    state: string;
    asked_at: number;
    /** Null: it waits for a slot. */
    started_at: number | null;
    /** Rows and bytes of the files that it opens. Null until they are known. */
    rows_planned: number | null;
    bytes_planned: number | null;
    /** The actor that cancelled it. Its node then ends it. */
    cancelled_by: string | null;
  };
  ingest_rule: {
    id: string;
    org_id: string;
    /** Null: rows of every project. */
    project_id: string | null;
    /** The id of a credential. Null: rows of every sender. */
    sender: string | null;
    name: string;
    enabled: number;
    /** Rules run in this order. */
    position: number;
    /** JSON list. */
    types: string;
    /** JSON; see `domain/ingest-rules`. */
    match: string;
    action: "drop" | "sample" | "mask";
    keep_one_of: number | null;
    /** JSON list. */
    masks: string | null;
    /** Counts since the creation. */
    rows_matched: number;
    rows_removed: number;
    rows_masked: number;
    counted_at: number | null;
    created_by: string;
    created_at: number;
    updated_by: string;
    updated_at: number;
    /** Grows with every change except counts. */
    revision: number;
  };
  alert: {
    id: string;
    org_id: string;
    query_id: string;
    name: string;
    description: string;
    /** JSON: schedule, window, condition; see `domain/alerts`. */
    settings: string;
    url: string;
    enabled: number;
    /** Sealed under the master key. */
    secret: Uint8Array;
    secret_version: number;
    /** The old secret, which also signs until the overlap ends. */
    previous_secret: Uint8Array | null;
    previous_secret_until: number | null;
    created_by: string;
    created_at: number;
    /** The last author. The alert is evaluated with this author's permissions. */
    updated_by: string;
    updated_at: number;
    /** Grows with every change except evaluations. */
    revision: number;
    /** JSON: how far the alert is between ok and firing; see `domain/alerts`. */
    progress: string;
    /** The number of evaluations, and of deliveries. They give the next one its number. */
    evaluations: number;
    deliveries: number;
  };
  alert_evaluation: {
    alert_id: string;
    seq: number;
    at: number;
    outcome: "true" | "false" | "no_data" | "error" | "stopped";
    state: string;
    /** JSON. */
    value: string;
    /** JSON: code and detail. */
    error: string | null;
    elapsed_ms: number;
  };
  /** Messages of alerts. A message is stored together with the change that it reports, and sent afterwards. */
  alert_delivery: {
    /** The `webhook-id` of every attempt. */
    id: string;
    alert_id: string;
    org_id: string;
    seq: number;
    type: string;
    body: string;
    state: "pending" | "delivered" | "dead";
    attempts: number;
    created_at: number;
    next_attempt_at: number | null;
    last_attempt_at: number | null;
    last_status: number | null;
    last_error: string | null;
  };
}
