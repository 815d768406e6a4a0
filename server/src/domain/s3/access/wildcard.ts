export type Pattern = (text: string) => boolean;

/** A pattern with `*` for anything and `?` for one character. Its time grows with the product of both lengths at most. */
export function wildcard(pattern: string): Pattern {
  if (!/[*?]/.test(pattern)) return (text) => text === pattern;
  return (text) => matches(pattern, text);
}

/** When what follows the last star does not fit, the star takes one character more; stars before it never need to. */
function matches(pattern: string, text: string): boolean {
  let [at, p] = [0, 0];
  let [star, starAt] = [-1, 0];
  while (at < text.length) {
    if (pattern[p] === "*") [star, starAt, p] = [p, at, p + 1];
    else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === text[at])) [at, p] = [at + 1, p + 1];
    else if (star >= 0) [starAt, at, p] = [starAt + 1, starAt + 1, star + 1];
    else return false;
  }
  while (pattern[p] === "*") p += 1;
  return p === pattern.length;
}

/** A text or a list of texts as a list; undefined when it is neither. */
export function textList(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
}
