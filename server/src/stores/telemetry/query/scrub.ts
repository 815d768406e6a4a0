import { codeDirectories } from "#kernel/programs.ts";

const DETAIL_CHARS_MAX = 2000;

/** Errors of the engine's binding have their paths. */
const CODE = codeDirectories();
/** An identifier of `newId`. A column named org_id does not match. */
const ORGANIZATION = /\borg_[0-9a-hjkmnp-tv-z]{26}\b/g;

export interface ScrubOptions {
  /** Directories whose paths must stay secret. */
  readonly directories: readonly string[];
  /** The caller's organization. Identifiers of others are removed. */
  readonly orgId: string;
}

/**
 * Removes secret text from a message: paths below the given directories and of the server's code, and identifiers of other
 * organizations. Other paths are usually the caller's own, and stay. Also cuts the message to a readable length.
 */
export function scrub(message: string, options: ScrubOptions): string {
  let text = message.toWellFormed();
  // The root is skipped, because every path is below it.
  for (const directory of [...options.directories, ...CODE])
    if (directory.length > 1) text = removePaths(text, directory.replace(/\/+$/, ""));
  text = text.replace(ORGANIZATION, (id) => (id === options.orgId ? id : "(another organization)"));
  return text.length <= DETAIL_CHARS_MAX ? text : `${text.slice(0, DETAIL_CHARS_MAX)}…`;
}

function removePaths(text: string, directory: string): string {
  let rest = text;
  for (let at = rest.indexOf(directory); at >= 0; at = rest.indexOf(directory, at + 1)) {
    const tail = /^[^\s"'`,;()[\]]*/.exec(rest.slice(at + directory.length))?.[0] ?? "";
    if (tail !== "" && !tail.startsWith("/") && !tail.startsWith(".") && !tail.startsWith(":")) continue; // a longer name of another directory
    const head = /file:(?:\/\/)?$/.exec(rest.slice(0, at))?.[0] ?? "";
    rest = `${rest.slice(0, at - head.length)}(stored data)${rest.slice(at + directory.length + tail.length)}`;
  }
  return rest;
}
