/** The texts of a sender for people. */
export interface SenderText {
  readonly title: string;
  /** What to enter as the secret; null: the sender has none. */
  readonly secret: string | null;
  /** Where the sender shows the secret, or where to enter it there. */
  readonly where: string;
}
