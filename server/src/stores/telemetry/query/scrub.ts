const DETAIL_CHARS_MAX = 2000;

export interface ScrubOptions {
  /** Directories whose paths must not be told. */
  readonly directories: readonly string[];
  /** The caller's own organization; identifiers of others are removed. */
  readonly orgId: string;
}

/**
 * Takes out of a message what its reader must not learn: paths under the given directories, file names of the store,
 * identifiers of other organizations. Also cuts it to a readable length.
 */
export function scrub(message: string, options: ScrubOptions): string {
  let text = message.toWellFormed();
  for (const directory of options.directories) text = removePaths(text, directory);
  text = text.replace(
    /(?:file:)?[^\s"'`,;()[\]]*\/[^\s"'`,;()[\]]*\.(?:parquet|ndjson|node|m?[jt]s)\b/g,
    "(stored data)",
  );
  text = text.replace(/\borg_[0-9a-z]+/g, (id) => (id === options.orgId ? id : "(another organization)"));
  return text.length <= DETAIL_CHARS_MAX ? text : `${text.slice(0, DETAIL_CHARS_MAX)}…`;
}

function removePaths(text: string, directory: string): string {
  let rest = text;
  for (let at = rest.indexOf(directory); at >= 0; at = rest.indexOf(directory)) {
    const tail = /^[^\s"'`,;()[\]]*/.exec(rest.slice(at + directory.length))?.[0] ?? "";
    rest = `${rest.slice(0, at)}(stored data)${rest.slice(at + directory.length + tail.length)}`;
  }
  return rest;
}
