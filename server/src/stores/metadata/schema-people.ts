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
  /** Logins of the command line: each is a person in one organization. */
  login: {
    id: string;
    user_id: string;
    org_id: string;
    /** The machine, as the command named it. */
    name: string;
    flow: "browser" | "device";
    /** How the person had signed in to the browser that approved it. */
    method: PeopleTables["browser_session"]["method"];
    second_factor: number;
    /** When the person last proved their identity in that browser. */
    confirmed_at: number;
    /** SHA-256 of the part of the refresh token that stays, hexadecimal. It recognizes old refresh tokens. */
    family_hash: string;
    /** SHA-256 of the part that changes with each use. */
    refresh_hash: string;
    /** SHA-256 of the newest access token, hexadecimal, and its end; then those of the one before. */
    access_hash: string;
    access_until: number;
    former_hash: string | null;
    former_until: number | null;
    created_at: number;
    /** When the refresh token was last used. */
    last_used_at: number;
    ip: string | null;
  };
  /** A request for a login: an approved code of a browser, or a device code that waits for a person. */
  login_request: {
    /** SHA-256 of the code or the device code, hexadecimal. */
    secret_hash: string;
    flow: "browser" | "device";
    /** SHA-256 of the code that the person types, hexadecimal. Null for `browser`. */
    user_code_hash: string | null;
    name: string;
    ip: string | null;
    /** The slug that the command asked for. Null: the person chooses. */
    organization: string | null;
    redirect_uri: string | null;
    /** SHA-256 of the verifier in base64url (RFC 7636, S256). */
    challenge: string | null;
    state: "pending" | "approved" | "denied" | "used";
    /** The person and their sign-in, from the approval on. */
    user_id: string | null;
    org_id: string | null;
    method: PeopleTables["browser_session"]["method"] | null;
    second_factor: number | null;
    confirmed_at: number | null;
    /** The login that was issued for it. */
    login_id: string | null;
    polled_at: number | null;
    interval_s: number;
    created_at: number;
    expires_at: number;
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
  /** A mail that waits for a mail server, or that none has accepted. */
  mail: {
    id: string;
    recipient: string;
    subject: string;
    /** Sealed, because it may have a link. Null: it failed. */
    body: Uint8Array | null;
    /** The invitation whose link it has. */
    invitation_id: string | null;
    attempts: number;
    /** Why the last attempt failed. */
    failure: string | null;
    /** When the server gave up. Null: it waits. */
    failed_at: number | null;
    next_at: number | null;
    created_at: number;
    /** When its link ends. */
    expires_at: number;
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
  /** Tokens with which operators use the API without a browser. */
  operator_token: {
    id: string;
    name: string;
    /** SHA-256 of the secret, which has 256 random bits. */
    hash: string;
    /** The operator, or "system" for a command on the machine. */
    created_by: string;
    created_at: number;
    expires_at: number | null;
    /** To the minute. */
    last_used_at: number | null;
  };
  /** A person's identity at an OpenID provider, at most one for each provider. */
  external_identity: { issuer: string; subject: string; user_id: string; created_at: number; last_used_at: number };
}
