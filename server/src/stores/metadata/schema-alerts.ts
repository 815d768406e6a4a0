/** Tables of background work, saved queries and alerts; see `schema.ts` for what their columns may hold. */
export interface AlertTables {
  /** Durable background work; see `stores/jobs`. */
  job: {
    id: string;
    kind: string;
    /** Unique within the kind: what the job is about. */
    key: string;
    /** Jobs of one group share the places of a node fairly; an organization's id. */
    group_key: string;
    /** JSON. */
    payload: string;
    /** When it is to run; while it runs, when its lease ends. */
    due_at: number;
    /** Grows with every claim and every change, so that an outdated claim can't finish it. */
    fence: number;
    /** The node that runs it; null while it waits. */
    owner: string | null;
    /** Runs that failed since the last one that did not. */
    attempts: number;
    last_error: string | null;
    created_at: number;
    /** How often it was begun since a run last ended. */
    claims: number;
    /** Since when it is begun no more, since its node ended each time; null: it is not. */
    parked_at: number | null;
    /** When its last run that ended began, and how long it took; null: none yet. */
    ran_at: number | null;
    ran_ms: number | null;
  };
  saved_query: {
    id: string;
    org_id: string;
    /** Null: belongs to the organization. */
    project_id: string | null;
    /** The project's id or an empty text: names are unique in it. */
    place: string;
    name: string;
    description: string;
    sql: string;
    /** JSON: values by position or name. */
    parameters: string;
    /** JSON list: the parameters that the statement names. */
    parameter_names: string;
    /** A user id or credential id. */
    created_by: string;
    created_at: number;
    /** The last author: alerts never show more than this one may see. */
    updated_by: string;
    updated_at: number;
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
    /** Signs beside the other until it ends. */
    previous_secret: Uint8Array | null;
    previous_secret_until: number | null;
    created_by: string;
    created_at: number;
    /** The last author: it is evaluated with their permissions. */
    updated_by: string;
    updated_at: number;
    /** Grows with every change that is not an evaluation. */
    revision: number;
    /** JSON: where the alert is between ok and firing; see `domain/alerts`. */
    progress: string;
    /** How many evaluations there were, and deliveries: numbers of the next ones. */
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
  /** Messages of alerts: written with the change that they report, sent afterwards. */
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
