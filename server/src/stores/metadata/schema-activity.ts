/** Tables of credential activity: counts of the last two days, by the hour. See `domain/identity/activity`. */
export interface ActivityTables {
  /** Requests of one credential or S3 key, by address and user agent. */
  credential_activity: {
    credential_id: string;
    /** Start of the hour. */
    hour: number;
    service: string;
    /** Empty for the remaining addresses, when there were too many in one hour to count separately. */
    ip: string;
    /** Cut to 200 characters; empty when none was sent. */
    user_agent: string;
    requests: number;
    refused: number;
    last_at: number;
  };
  /** The same requests by the minute, without address and user agent, for the last hour. */
  credential_minute: { credential_id: string; minute: number; requests: number; refused: number };
  /** Requests of all credentials and people of an organization. */
  organization_activity: {
    org_id: string;
    hour: number;
    service: string;
    requests: number;
    refused: number;
    /** Requests that were refused by the rate limit. */
    limited: number;
  };
}
