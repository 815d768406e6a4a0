/** Tables of usage. See `domain/usage`. */
export interface UsageTables {
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
