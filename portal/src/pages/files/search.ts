/** The state of the page in its address. */
export interface SearchState extends Record<string, string | undefined> {
  prefix: string | undefined;
  /** The open file, by its id. */
  file: string | undefined;
  /** The grouping of the storage panel; undefined: it is closed. */
  by: string | undefined;
  /** `names`: the newest file of each name; `trash`: deleted files; undefined: every file. */
  view: string | undefined;
}
