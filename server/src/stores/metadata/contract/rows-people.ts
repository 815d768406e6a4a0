import type { PeopleTables } from "../schema-people.ts";

/** One full row of every table of how people sign in; see `rows.ts`. */
export const PEOPLE_ROWS: PeopleTables = {
  browser_session: {
    id: "ses_1",
    user_id: "user_1",
    secret_hash: "s1",
    method: "password_totp",
    created_at: 1,
    confirmed_at: 2,
    last_seen_at: 3,
    expires_at: 4,
    ip: "192.0.2.1",
    user_agent: null,
  },
  sign_in_attempt: {
    ticket_hash: "t1",
    kind: "second_factor",
    user_id: null,
    data: "{}",
    tries: 1,
    created_at: 1,
    expires_at: 2,
  },
  person_totp: {
    user_id: "user_1",
    secret: new Uint8Array([0, 1, 255]),
    created_at: 1,
    confirmed_at: null,
    last_step: 2,
  },
  recovery_code: { user_id: "user_1", code_hash: "c1", created_at: 1 },
  passkey: {
    id: "pass_1",
    user_id: "user_1",
    credential_id: "AQID",
    public_key: new Uint8Array([0, 1, 255]),
    counter: 1,
    transports: '["usb"]',
    synced: 0,
    rp_id: "localhost",
    name: "Key",
    created_at: 1,
    last_used_at: null,
  },
  external_identity: {
    issuer: "https://id.example",
    subject: "1",
    user_id: "user_1",
    created_at: 1,
    last_used_at: 2,
  },
};
