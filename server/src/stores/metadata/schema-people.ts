/** Tables of how people sign in. */
export interface PeopleTables {
  /** Where a person is signed in. */
  browser_session: {
    id: string;
    user_id: string;
    /** SHA-256 of what the cookie holds, hexadecimal. Changes when the person confirms who they are. */
    secret_hash: string;
    /** How they signed in. */
    method: "set_up" | "password" | "password_totp" | "recovery_code" | "passkey" | "oidc" | "reset_link";
    created_at: number;
    /** When they last proved who they are. */
    confirmed_at: number;
    /** To the minute. */
    last_seen_at: number;
    /** Ends then however much it is used. */
    expires_at: number;
    ip: string | null;
    user_agent: string | null;
    /** 1: more than a password was shown in it. */
    second_factor: number;
    /** JSON: what the first proof of the address ended, until the person has read it. */
    ended: string | null;
  };
  /** A one-time link with which an owner sets up their account. */
  setup_link: {
    id: string;
    org_id: string;
    user_id: string;
    token_hash: string;
    created_at: number;
    expires_at: number;
    used_at: number | null;
    /** 1: a start of the server printed it, for the future operator. */
    by_start: number;
  };
  /** A one-time link with which a person sets a new password. */
  account_link: {
    id: string;
    user_id: string;
    /**
     * The address to which it was sent, or for which it was created: it does not work once the account has another
     * address.
     */
    email: string;
    /** SHA-256 of the token, hexadecimal. */
    token_hash: string;
    sent_by: "mail" | "operator";
    /** 1: the operator said that the authenticator app and the recovery codes end as well. */
    clears_second_factor: number;
    created_at: number;
    expires_at: number;
    used_at: number | null;
  };
  /** Something that was begun and has another step: a sign-in, a confirmation, a new passkey. */
  sign_in_attempt: {
    /** SHA-256 of the ticket, hexadecimal. */
    ticket_hash: string;
    kind: "second_factor" | "passkey" | "confirmation" | "new_passkey" | "oidc";
    /** Null while it is not known who it is. */
    user_id: string | null;
    /** JSON: what the next step needs. */
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
    /** Null until a code of it was shown: it does not count before. */
    confirmed_at: number | null;
    /** The last step whose code was used: each is good once. */
    last_step: number;
  };
  /** Codes that are left. */
  recovery_code: { user_id: string; code_hash: string; created_at: number };
  passkey: {
    id: string;
    user_id: string;
    /** The authenticator's, base64url. */
    credential_id: string;
    /** COSE. */
    public_key: Uint8Array;
    counter: number;
    /** JSON list. */
    transports: string;
    synced: number;
    /** The host that it was made for: it works there only. */
    rp_id: string;
    name: string;
    created_at: number;
    last_used_at: number | null;
  };
  /** The identity of a person at an OpenID provider: one for each provider. */
  external_identity: { issuer: string; subject: string; user_id: string; created_at: number; last_used_at: number };
}
