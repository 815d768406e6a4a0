/** Licences of third-party packages whose code we may publish, by their SPDX identifiers. */
export const ALLOWED_LICENCES: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MIT-0",
  "OFL-1.1",
  "Unlicense",
]);

export interface LicenceException {
  /** Names of packages; `*` at the end matches any text. */
  readonly name: string;
  /** The licence, which the list does not allow or the package does not state. */
  readonly licence: string;
  readonly reason: string;
  /** Whether the published packages may contain its code. */
  readonly mayBePublished: boolean;
}

/** Packages with another licence, or without a statement of it in their package.json. */
export const LICENCE_EXCEPTIONS: readonly LicenceException[] = [
  {
    name: "axe-core",
    licence: "MPL-2.0",
    reason: "only tests of the portal load it, without changes",
    mayBePublished: false,
  },
  {
    name: "lightningcss*",
    licence: "MPL-2.0",
    reason: "it compresses the portal's style sheet; its code is not in the result",
    mayBePublished: false,
  },
  {
    name: "combine-errors",
    licence: "MIT",
    reason: "its readme states the licence, but its package.json does not; tus-js-client uses it in Node only",
    mayBePublished: false,
  },
];

export function exceptionOf(
  name: string,
  exceptions: readonly LicenceException[] = LICENCE_EXCEPTIONS,
): LicenceException | undefined {
  return exceptions.find((each) =>
    each.name.endsWith("*") ? name.startsWith(each.name.slice(0, -1)) : name === each.name,
  );
}

/**
 * Whether the list allows a licence expression (SPDX 2.3, annex D). It must allow one of alternatives (`OR`), and all
 * of conjunctions (`AND`). `WITH` is not allowed, because an exception needs a reader.
 */
export function isAllowed(expression: string, allowed: ReadonlySet<string> = ALLOWED_LICENCES): boolean {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const either = (): boolean => {
    let result = all();
    while (words[at] === "OR") {
      at++;
      result = all() || result;
    }
    return result;
  };
  const all = (): boolean => {
    let result = one();
    while (words[at] === "AND") {
      at++;
      result = one() && result;
    }
    return result;
  };
  const one = (): boolean => {
    const word = words[at++];
    if (word !== "(") return word !== undefined && allowed.has(word);
    const result = either();
    return words[at++] === ")" && result;
  };
  return either() && at === words.length;
}
