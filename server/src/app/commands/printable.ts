/** Escapes control characters, because log lines and error messages come from untrusted sources. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- it looks for control characters
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (char) => {
    if (char === "\n") return "\\n";
    return char === "\t" ? "\\t" : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** As `printable`, for a message with several lines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
