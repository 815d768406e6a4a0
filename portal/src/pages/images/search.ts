/** The state of the list and of a repository's page in their addresses. */
export interface SearchState extends Record<string, string | undefined> {
  q: string | undefined;
  tab: string | undefined;
  /** The open image: `tag:1.0`, or a digest. */
  ref: string | undefined;
}

/** Returns a tag in the form of the address. The prefix prevents that the router parses a tag as a number. */
export function refOfTag(tag: string): string {
  return `tag:${tag}`;
}

/** Returns the tag or digest that the address names. */
export function referenceOf(ref: string): string {
  return ref.replace(/^tag:/, "");
}
