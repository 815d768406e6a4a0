import { isRawNumber } from "./exact.ts";

/** A line of indented JSON, with the pointer to its scalar. */
export interface JsonLine {
  readonly text: string;
  /** `/order/id=17`. Null: the line has no scalar, or the value is too long for a filter. */
  readonly pointer: string | null;
}

const POINTER_CHARS_MAX = 1000;

/** Formats JSON with an indent of two spaces, like `JSON.stringify`, in at most `linesMax` lines. */
export function jsonLines(value: unknown, linesMax: number): readonly JsonLine[] {
  const lines: JsonLine[] = [];
  write(value, { lines, linesMax, indent: "", path: "", before: "", after: "" });
  return lines;
}

interface Writing {
  readonly lines: JsonLine[];
  readonly linesMax: number;
  readonly indent: string;
  readonly path: string;
  /** The text before and after the value on its line. */
  readonly before: string;
  readonly after: string;
}

function write(value: unknown, writing: Writing): void {
  const { lines, linesMax, indent, path, before, after } = writing;
  if (lines.length >= linesMax) return;
  const start = indent + before;
  if (typeof value !== "object" || value === null || isRawNumber(value)) {
    const pointer = `${path}=${typeof value === "string" ? value : JSON.stringify(value)}`;
    const canAsk = path !== "" && pointer.length <= POINTER_CHARS_MAX && !hasEquals(path);
    lines.push({ text: start + JSON.stringify(value) + after, pointer: canAsk ? pointer : null });
    return;
  }
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const entries = Object.entries(value) as [string, unknown][];
  if (entries.length === 0) {
    lines.push({ text: start + open + close + after, pointer: null });
    return;
  }
  lines.push({ text: start + open, pointer: null });
  entries.forEach(([name, each], index) =>
    write(each, {
      ...writing,
      indent: `${indent}  `,
      path: `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
      before: Array.isArray(value) ? "" : `${JSON.stringify(name)}: `,
      after: index === entries.length - 1 ? "" : ",",
    }),
  );
  if (lines.length < linesMax) lines.push({ text: indent + close + after, pointer: null });
}

/** Whether a path can't be used in a filter: the API ends it at the first equals sign. */
function hasEquals(path: string): boolean {
  return path.includes("=");
}
