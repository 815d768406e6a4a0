/** Tables of sign-in. */
export interface PeopleTables {
  /** Sessions of people in browsers. */
  browser_session: {
    id: string;
    user_id: string;
    /** SHA-256 of the cookie's secret, hexadecimal. Changes when the person confirms their identity. */
    secret_hash: string;
    /** How the person signed in. */
    method: "set_up" | "password" | "password_totp" | "recovery_code" | "passkey" | "oidc" | "reset_link";
    created_at: number;
    /** When the person last confirmed their identity. */
    confirmed_at: number;
    /** To the minute. */
    last_seen_at: number;
    /** When the session ends, even while it is in use. */
    expires_at: number;
    ip: string | null;
    user_agent: string | null;
    /** 1: the person has shown a second factor in this session. */
    second_factor: number;
    /** JSON: what ended when the address was first verified, until the person has read it. */
    ended: string | null;
  };
  /** A one-time link to set up an owner's account. */
  setup_link: {
    id: string;
    org_id: string;
    user_id: string;
    token_hash: string;
    created_at: number;
    expires_at: number;
    used_at: number | null;
    /** 1: the server printed it at its start, for the future operator. */
    by_start: number;
  };
  /** A one-time link to set a new password. */
  account_link: {
    id: string;
    user_id: string;
    /**
     * The address that the link was sent to or created for. The link stops working when the account's address changes.
     */
    email: string;
    /** SHA-256 of the token, hexadecimal. */
    token_hash: string;
    sent_by: "mail" | "operator";
    /** 1: the operator chose to remove the authenticator app and the recovery codes as well. */
    clears_second_factor: number;
    created_at: number;
    expires_at: number;
    used_at: number | null;
  };
  /** An act with another step to come: a sign-in, a confirmation, a new passkey. */
  sign_in_attempt: {
    /** SHA-256 of the ticket, hexadecimal. */
    ticket_hash: string;
    kind: "second_factor" | "passkey" | "confirmation" | "new_passkey" | "oidc";
    /** Null until the person is known. */
    user_id: string | null;
    /** JSON: input of the next step. */
    data: string;
    tries: number;
    created_at: number;
    expires_at: number;
  };
  person_totp: {
    user_id: string;
    /** Sealed under the master key. */
    secret: Uint8Array;
    created_at: number;
    /** Null until the person has entered a code. The app does not count before that. */
    confirmed_at: number | null;
    /** The time step of the last used code. Each code works once. */
    last_step: number;
  };
  /** Unused codes. */
  recovery_code: {
    user_id: string;
    code_hash: string;
    /** The lookup key of the hash, as in `credential_secret`. */
    hash_key: string | null;
    created_at: number;
  };
  passkey: {
    id: string;
    user_id: string;
    /** Given by the authenticator, in base64url. */
    credential_id: string;
    /** In COSE form. */
    public_key: Uint8Array;
    counter: number;
    /** JSON list. */
    transports: string;
    synced: number;
    /** The host that it was created for. It works only there. */
    rp_id: string;
    name: string;
    created_at: number;
    last_used_at: number | null;
  };
  /** A person's identity at an OpenID provider, at most one for each provider. */
  external_identity: { issuer: string; subject: string; user_id: string; created_at: number; last_used_at: number };
}
