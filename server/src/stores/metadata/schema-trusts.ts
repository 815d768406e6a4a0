/** Trusts: other issuers whose tokens replace a credential's secret. See `domain/identity/trusts`. */
export interface TrustTables {
  /**
   * Tokens of this issuer, with this audience and a matching subject, replace the credential's secret. Deleted when the
   * credential is revoked.
   */
  credential_trust: {
    id: string;
    org_id: string;
    credential_id: string;
    /** The credential's project, which never changes. Lists of a project's trusts use it. */
    project_id: string | null;
    name: string;
    /** Compared exactly with `iss`. */
    issuer: string;
    audience: string;
    /** A pattern for `sub` with `*` and `**`; see `subject.ts`. */
    subject: string;
    /** JSON: { [name]: string | number | boolean }, further claims that a token must have. */
    claims: string;
    created_by: string;
    created_at: number;
    /** To the minute. */
    last_used_at: number | null;
    /** `sub` of the last token. */
    last_subject: string | null;
  };
}
