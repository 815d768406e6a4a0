/** An issuer whose tokens replace a credential's secret. */
export interface Trust {
  readonly id: string;
  /** The exact value of `iss`. */
  readonly issuer: string;
  /** A value that `aud` must contain. */
  readonly audience: string;
  /** The pattern for `sub`. */
  readonly subject: string;
  /** Further claims and their required values. */
  readonly claims: Readonly<Record<string, string | number | boolean>>;
}
