export type LoginRefusalCode =
  | "invalid_grant"
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token";

/** A token request of a login that gets no token (RFC 6749 section 5.2, RFC 8628 section 3.5). */
export class LoginRefusal extends Error {
  readonly code: LoginRefusalCode;

  constructor(code: LoginRefusalCode, message: string) {
    super(message);
    this.name = "LoginRefusal";
    this.code = code;
  }
}
