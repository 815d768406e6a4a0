/** Tables of refused requests. See `domain/requests`. */
export interface RequestTables {
  /** The first refusal of its kind within a minute. */
  refused_request: {
    /** The server's own id. */
    id: string;
    /** The caller's organization. Empty: the caller is in none, or is not known. */
    org_id: string;
    /** The id that the caller sent. */
    client_id: string | null;
    /** Empty: nobody is known. */
    actor_id: string;
    at: number;
    /** The bytes that the row takes, about. */
    bytes: number;
    /** JSON object, see `RequestRecord`. */
    record: string;
  };
  /** Further refusals of the same kind within the minute. */
  refused_repeat: { id: string; request_id: string; org_id: string; client_id: string | null; at: number };
}
