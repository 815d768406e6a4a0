import { isRawNumber } from "./exact.ts";

/** A line of a value written over several, and the pointer to the scalar that stands in it. */
export interface JsonLine {
  readonly text: string;
  /** `/order/id=17`; null where there is no scalar, or where it is too long to ask for. */
  readonly pointer: string | null;
}

const POINTER_CHARS_MAX = 1000;

/** JSON in lines of two spaces, as `JSON.stringify` writes it; `linesMax` bounds them. */
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
  /** On the line of the value, before and behind it. */
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

/** The API's conditions end a path at the first equals sign. */
function hasEquals(path: string): boolean {
  return path.includes("=");
}
