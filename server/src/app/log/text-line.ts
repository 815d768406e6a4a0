import { printable } from "../commands/printable.ts";

const LEVEL_WIDTH = 5;
/** Levels whose errors are shown with their stack: others happen in normal operation. */
const WITH_STACK = new Set(["error", "fatal"]);
/** A value that needs no quotes. */
const PLAIN = /^[^\s"=\\\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+$/; // oxlint-disable-line no-control-regex -- they are escaped

/**
 * Converts a line of JSON to one line for people: time, level, message, fields. A line that is not an object stays
 * unchanged.
 */
export function textLine(line: string): string {
  const fields = parsed(line);
  if (fields === undefined) return line;
  const { time, level, msg, err, ...rest } = fields;
  const head = `${shown(time)} ${shown(level).padEnd(LEVEL_WIDTH)} ${printable(typeof msg === "string" ? msg : "")}`;
  const pairs = Object.entries({ ...rest, ...errorFields(err, WITH_STACK.has(String(level))) });
  return `${[head.trimEnd(), ...pairs.map(([name, value]) => `${shown(name)}=${shown(value)}`)].join(" ")}\n`;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return PLAIN.test(text) ? text : printable(JSON.stringify(text));
}

/** Returns the type and message of an error, its other fields, and the frames of its stack on one line. */
function errorFields(err: unknown, hasStack: boolean): Record<string, unknown> {
  if (typeof err !== "object" || err === null) return err === undefined ? {} : { err };
  const { type, message, stack, ...more } = err as Record<string, unknown>;
  const fields = Object.entries(more).map(([name, value]) => [`err.${name}`, value]);
  const frames = typeof stack === "string" ? [...stack.matchAll(/^ {4}at (.*)$/gm)].map(([, frame]) => frame) : [];
  return {
    err: [type, message].filter((part) => typeof part === "string" && part !== "").join(": "),
    ...(Object.fromEntries(fields) as Record<string, unknown>),
    ...(hasStack && frames.length > 0 ? { stack: frames.join(" < ") } : {}),
  };
}
