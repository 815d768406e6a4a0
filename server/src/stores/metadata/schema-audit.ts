/** Tables of the audit log and of deleted people; see `schema.ts` for the value types. */
export interface AuditTables {
  audit: {
    org_id: string;
    seq: number;
    id: string;
    at: number;
    actor_kind: "person" | "credential" | "system" | "anonymous";
    actor_id: string | null;
    action: string;
    target_kind: string | null;
    target_id: string | null;
    result: "success" | "denied" | "failure";
    ip: string | null;
    request_id: string | null;
    /** JSON object, without the personal members of entries with commitments. */
    detail: string;
    prev_hash: string;
    hash: string;
    /** JSON list of hexadecimal digests, one for each personal part. Null: the hashed fields have all parts. */
    commitments: string | null;
    /** JSON list of the personal parts, null for erased ones. They are not hashed. */
    personal: string | null;
  };
  /** The public keys that signed cuts of the audit log. They stay, because a cut is verified for ever. */
  audit_key: { kid: string; alg: string; public_jwk: string; added_at: number };
  /** Ed25519 keys that sign checkpoints of audit logs. */
  checkpoint_key: {
    id: string;
    /** The 32 bytes of the key, base64. */
    public_key: string;
    /** PKCS #8, sealed. */
    private_key: Uint8Array;
    created_at: number;
    /** Signs until this time. Null: no newer key. */
    retired_at: number | null;
  };
  /** People who were deleted. Only the id stays, which the audit log has as pseudonym. */
  deleted_person: {
    id: string;
    deleted_at: number;
    /** JSON: the entries of the audit log that were about an address of the person, by id and number (`About`). */
    about: string;
    /** When the last trace outside of the account was erased. Null: a job still erases them. */
    erased_at: number | null;
  };
  /** The last row of each chain of `audit`, so that rows missing at the end are noticed. */
  audit_head: { org_id: string; seq: number; hash: string };
}
