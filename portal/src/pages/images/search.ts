/** What the list and a repository's page keep in their addresses. */
export interface SearchState extends Record<string, string | undefined> {
  q: string | undefined;
  tab: string | undefined;
  /** The open image: a tag, or a digest that was gone on to. */
  ref: string | undefined;
}
