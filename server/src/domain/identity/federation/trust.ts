/** Whose tokens stand for a credential's secret. */
export interface Trust {
  readonly id: string;
  /** What `iss` must be, to the letter. */
  readonly issuer: string;
  /** What `aud` must hold. */
  readonly audience: string;
  /** Pattern of `sub`. */
  readonly subject: string;
  /** Further claims and what each must be. */
  readonly claims: Readonly<Record<string, string | number | boolean>>;
}
