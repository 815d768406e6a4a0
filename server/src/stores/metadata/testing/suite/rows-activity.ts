import type { ActivityTables } from "../../schema-activity.ts";
import type { RequestTables } from "../../schema-requests.ts";
import type { UsageTables } from "../../schema-usage.ts";

const COUNTS = { requests: 9_007_199_254_740_991, refused: 1 };

/** Rows of the tables about the activity of credentials, refused requests and usage; see `rows.ts`. */
export const ACTIVITY_ROWS: ActivityTables & RequestTables & UsageTables = {
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
  quota: { org_id: "org_1", scope: "project", target_id: "proj_1", bytes_max: 9_007_199_254_740_991, updated_at: 1 },
  usage_daily: {
    org_id: "org_1",
    day: 86_400_000,
    project_id: "",
    credential_id: "cred_1",
    service: "query",
    ...COUNTS,
    bytes_in: 1,
    bytes_out: 2,
    bytes_scanned: 3,
    bytes_stored: 4,
  },
  organization_activity: { org_id: "org_1", hour: 3_600_000, service: "query", ...COUNTS, limited: 1 },
};
