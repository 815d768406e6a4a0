/** The address and the id of a request. */
export interface Origin {
  readonly ip: string | null;
  readonly requestId: string | null;
  readonly userAgent: string | null;
  /** The cookie of an earlier sign-in with this browser, not yet verified. */
  readonly device?: string | null;
}
