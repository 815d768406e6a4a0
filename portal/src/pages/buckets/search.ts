/** The state of the page in its address. */
export interface SearchState extends Record<string, string | boolean | undefined> {
  tab: string | undefined;
  q: string | undefined;
  /** The open bucket, by its slug. */
  bucket: string | undefined;
  /** The open destination, by its id. */
  destination: string | undefined;
  create: boolean | undefined;
}
