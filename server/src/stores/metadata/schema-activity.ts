/** Tables of what credentials do: counts of the last two days, by the hour. See `domain/identity/activity`. */
export interface ActivityTables {
  /** Requests of one credential or access key of the S3 gateway, by where they came from. */
  credential_activity: {
    credential_id: string;
    /** Beginning of the hour. */
    hour: number;
    service: string;
    /** Empty: requests of an hour from more addresses than are kept separately. */
    ip: string;
    /** Cut to 200 characters; empty: none was sent. */
    user_agent: string;
    requests: number;
    refused: number;
    last_at: number;
  };
  /** The same without where from, by the minute and for an hour only. */
  credential_minute: { credential_id: string; minute: number; requests: number; refused: number };
  /** Requests of all credentials and people of an organization. */
  organization_activity: {
    org_id: string;
    hour: number;
    service: string;
    requests: number;
    refused: number;
    /** The refused requests that exceeded the rate limit. */
    limited: number;
  };
}
