const BYTES_MAX = 200;
/** Characters that some file systems forbid, and characters that make names look alike. */
// oxlint-disable-next-line no-control-regex -- it looks for control characters
const UNSAFE = /[\u0000-\u001f\u007f-\u009f/\\:*?"<>|\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** Turns an untrusted name into a name for the current directory: no path, not hidden, not too long. */
export function safeName(filename: string, fallback: string): string {
  const replaced = filename
    .replace(UNSAFE, "_")
    .replace(/^[.\s]+/, "_")
    .replace(/[.\s]+$/, "");
  const shortened = shortenedTo(replaced, BYTES_MAX);
  if (/^_*$/.test(shortened)) return fallback.replace(UNSAFE, "_");
  return RESERVED.test(shortened) || shortened.startsWith("-") ? `_${shortened}` : shortened;
}

/** Keeps the extension, which shows the type to people and programs. */
function shortenedTo(name: string, bytesMax: number): string {
  if (Buffer.byteLength(name) <= bytesMax) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  let stem = name.slice(0, name.length - ending.length);
  while (Buffer.byteLength(stem + ending) > bytesMax) stem = Array.from(stem).slice(0, -1).join("");
  return stem + ending;
}
