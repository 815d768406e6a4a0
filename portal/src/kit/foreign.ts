/**
 * Characters that hide text or change its direction: control characters, bidirectional controls (Unicode "Trojan
 * Source"), characters without width, and halves of surrogate pairs.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- the expression looks for control characters
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]|\p{Cs}/gu;

/** Makes hidden characters visible, as `⟨U+202E⟩`. With `lines`, line ends and tabs stay. */
export function visibleText(text: string, { lines = false } = {}): string {
  return text.replace(HIDDEN, (char) =>
    lines && (char === "\n" || char === "\t" || char === "\r") ? char : `⟨${codePointText(char)}⟩`,
  );
}

function codePointText(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Whether a person can type the text as it looks, to confirm a deletion. */
export function isTypable(text: string): boolean {
  return /^[!-~](?:[ -~]{0,58}[!-~])?$/.test(text) && !text.includes("  ");
}
