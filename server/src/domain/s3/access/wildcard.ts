export type Pattern = (text: string) => boolean;

/**
 * Compiles a pattern with `*` for any text and `?` for one character. The match searches each part between stars once,
 * after the end of the part before it.
 */
export function wildcard(pattern: string): Pattern {
  const [head = "", ...rest] = pattern.split(/\*+/);
  const tail = rest.pop();
  if (tail === undefined) return (text) => text.length === head.length && fits(head, text, 0);
  const lengthMin = rest.reduce((sum, part) => sum + part.length, head.length + tail.length);
  return (text) => {
    if (text.length < lengthMin || !fits(head, text, 0) || !fits(tail, text, text.length - tail.length)) return false;
    let at = head.length;
    for (const part of rest) {
      // The first match is the best one, because it leaves the most text for the other parts.
      const found = placeOf(part, text, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at + tail.length <= text.length;
  };
}

function fits(part: string, text: string, at: number): boolean {
  if (!part.includes("?")) return text.startsWith(part, at);
  for (let i = 0; i < part.length; i += 1) if (part[i] !== "?" && part[i] !== text[at + i]) return false;
  return true;
}

function placeOf(part: string, text: string, from: number): number {
  if (!part.includes("?")) return text.indexOf(part, from);
  for (let at = from; at + part.length <= text.length; at += 1) if (fits(part, text, at)) return at;
  return -1;
}

/** Returns a text, or a list of texts, as a list. Undefined for other values. */
export function textList(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
}
