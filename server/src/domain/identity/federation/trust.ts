/** An issuer whose tokens replace a credential's secret. */
export interface Trust {
  readonly id: string;
  /** The exact value of `iss`. */
  readonly issuer: string;
  /** A value that `aud` must have. */
  readonly audience: string;
  /** Pattern of `sub`. */
  readonly subject: string;
  /** Further claims and what each must be. */
  readonly claims: Readonly<Record<string, string | number | boolean>>;
}
