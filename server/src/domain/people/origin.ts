/** From where a request came. */
export interface Origin {
  readonly ip: string | null;
  readonly requestId: string | null;
  readonly userAgent: string | null;
  /** What the browser shows to say that somebody signed in there before; not yet verified. */
  readonly device?: string | null;
}
