/** The state of the list and of a repository's page in their addresses. */
export interface SearchState extends Record<string, string | undefined> {
  q: string | undefined;
  tab: string | undefined;
  /** The open image: `tag:1.0`, or a digest that was gone on to. */
  ref: string | undefined;
}

/** How the address names a tag: one that looks like a number would not come back as it was. */
export function refOfTag(tag: string): string {
  return `tag:${tag}`;
}

/** The tag or the digest that the address names. */
export function referenceOf(ref: string): string {
  return ref.replace(/^tag:/, "");
}
