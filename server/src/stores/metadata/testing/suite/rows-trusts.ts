import type { TrustTables } from "../../schema-trusts.ts";

/** Rows of the tables of trusts; see `rows.ts`. */
export const TRUST_ROWS: TrustTables = {
  credential_trust: {
    id: "trust_1",
    org_id: "org_1",
    credential_id: "cred_1",
    project_id: "proj_1",
    name: "deploy",
    issuer: "https://token.example",
    audience: "https://id.example",
    subject: "repo:acme/shop:ref:refs/heads/*",
    claims: '{"environment":"production"}',
    created_by: "user_1",
    created_at: 1,
    last_used_at: 2,
    last_subject: "repo:acme/shop:ref:refs/heads/main",
  },
};
