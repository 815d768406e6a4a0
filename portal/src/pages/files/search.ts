/** What the page keeps in its address. */
export interface SearchState extends Record<string, string | undefined> {
  prefix: string | undefined;
  /** The open file, by its id. */
  file: string | undefined;
  /** What storage is shown by; undefined: it is not shown. */
  by: string | undefined;
  /** `names`: the newest file of each name; `trash`: deleted files; undefined: every file. */
  view: string | undefined;
}
