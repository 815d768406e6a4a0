/** Trusted issuers that replace a credential's secret. See `domain/identity/trusts`. */
export interface TrustTables {
  /**
   * Tokens of this issuer, for this audience and with a matching subject, replace the credential's secret. Deleted when
   * the credential is revoked.
   */
  credential_trust: {
    id: string;
    org_id: string;
    credential_id: string;
    /** The project of the credential, which never changes: lists of a project's trusts use it. */
    project_id: string | null;
    name: string;
    /** Exactly as in `iss`. */
    issuer: string;
    audience: string;
    /** A pattern of `sub`: `*` and `**` as `subject.ts` says. */
    subject: string;
    /** JSON: { [name]: string | number | boolean }, further claims that must be so. */
    claims: string;
    created_by: string;
    created_at: number;
    /** To the minute. */
    last_used_at: number | null;
    /** `sub` of that use. */
    last_subject: string | null;
  };
}
