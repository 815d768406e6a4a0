/** Tables of usage. See `domain/usage`. */
export interface UsageTables {
  /** Quotas of the projects, buckets and webhooks of an organization. */
  quota: {
    org_id: string;
    /** `project`, `bucket` or `webhook`. */
    scope: string;
    /** The id of a project, an app or a webhook. */
    target_id: string;
    bytes_max: number;
    updated_at: number;
  };
  /** Usage of an organization on one UTC day, for 13 months. */
  usage_daily: {
    org_id: string;
    /** Start of the day. */
    day: number;
    /** Empty: no project, or not known. */
    project_id: string;
    /** A credential or an S3 key. Empty: people, and senders that are not known. */
    credential_id: string;
    service: string;
    requests: number;
    refused: number;
    bytes_in: number;
    bytes_out: number;
    bytes_scanned: number;
    /** The bytes at the last measurement of the day. They are not of a credential. */
    bytes_stored: number;
  };
}
