import type { ActivityTables } from "../../schema-activity.ts";
import type { RequestTables } from "../../schema-requests.ts";

const COUNTS = { requests: 9_007_199_254_740_991, refused: 1 };

/** Rows of the tables about the activity of credentials and refused requests; see `rows.ts`. */
export const ACTIVITY_ROWS: ActivityTables & RequestTables = {
  refused_request: {
    id: "req_1",
    org_id: "org_1",
    client_id: "mine-0001",
    actor_id: "cred_1",
    at: 9_007_199_254_740_991,
    bytes: 410,
    record: `{"detail":"Grüße","wouldAllow":[]}`,
  },
  refused_repeat: {
    id: "req_2",
    request_id: "req_1",
    org_id: "org_1",
    client_id: "mine-0001",
    at: 9_007_199_254_740_991,
  },
  credential_activity: {
    credential_id: "cred_1",
    hour: 3_600_000,
    service: "query",
    ip: "2001:db8::1",
    user_agent: "curl/8",
    ...COUNTS,
    last_at: 1,
  },
  credential_minute: { credential_id: "cred_1", minute: 60_000, ...COUNTS },
  organization_activity: { org_id: "org_1", hour: 3_600_000, service: "query", ...COUNTS, limited: 1 },
};
