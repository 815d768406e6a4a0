/** From where a request came. */
export interface Origin {
  readonly ip: string | null;
  readonly requestId: string | null;
  readonly userAgent: string | null;
  /** The browser's cookie that shows an earlier sign-in there; not yet verified. */
  readonly device?: string | null;
}
