import { severityName } from "#kernel/severity.ts";
import { SHOWN_COLUMNS } from "#stores/telemetry/index.ts";

const NAMES = SHOWN_COLUMNS.logs.map(({ name }) => name);
const PLACES: ReadonlyMap<string, number> = new Map(NAMES.map((name, place) => [name, place]));
const HEADS = NAMES.map((name, place) => `${place === 0 ? "{" : ","}"${name}":`);

/** Indexes of columns in `SHOWN_COLUMNS`. */
export const PLACE = {
  level: placeOf("level"),
  severity: placeOf("severity"),
  message: placeOf("message"),
  service: placeOf("service"),
  trace_id: placeOf("trace_id"),
  attributes: placeOf("attributes"),
  project_id: placeOf("project_id"),
};
const TIMESTAMP = placeOf("timestamp");
const SEVERITY_NAME = placeOf("severity_name");

function placeOf(name: string): number {
  const place = PLACES.get(name);
  if (place === undefined) throw new Error(`logs have no column ${name}`);
  return place;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * A row of the log, cut into members without parsing. A tail forwards most members unread, and numbers keep their
 * digits.
 */
export class Row {
  readonly #texts: (string | undefined)[] = [];

  /** `line` must come from the store: a JSON object of known members, without escapes in their names. */
  constructor(line: string) {
    let at = line.indexOf("{") + 1;
    while (at > 0) {
      const from = line.indexOf('"', at);
      if (from < 0) break;
      const to = line.indexOf('"', from + 1);
      const place = PLACES.get(line.slice(from + 1, to));
      const start = line.indexOf(":", to) + 1;
      at = endOfValue(line, start);
      if (place !== undefined) this.#texts[place] = line.slice(start, at).trim();
      if (place === PLACE.attributes) this.#texts[place] = unpacked(this.#texts[place] ?? "");
    }
  }

  /** Returns a member as JSON text; undefined when the row does not have it. */
  json(place: number): string | undefined {
    return this.#texts[place];
  }

  /** Returns a string member; undefined when the row does not have it. */
  text(place: number): string | undefined {
    const json = this.#texts[place];
    if (json === undefined || json.charCodeAt(0) !== QUOTE) return undefined;
    return json.includes("\\") ? (JSON.parse(json) as string) : json.slice(1, -1);
  }

  /** Returns the row as a query result has it: every column, null where there is no value. */
  shown(): string {
    const name = severityName(Number(this.#texts[PLACE.severity]));
    if (name !== undefined) this.#texts[SEVERITY_NAME] = `"${name}"`;
    let text = "";
    for (let place = 0; place < HEADS.length; place++) {
      const value = this.#texts[place] ?? "null";
      text += HEADS[place] + (place === TIMESTAMP ? shortTimestamp(value) : value);
    }
    return `${text}}`;
  }
}

/** Unpacks attributes that the log has as a string of their JSON. */
function unpacked(attributes: string): string {
  return attributes.charCodeAt(0) === QUOTE ? (JSON.parse(attributes) as string) : attributes;
}

/** Returns the end of the value that begins at `from`: the position of the comma or bracket after it. */
function endOfValue(line: string, from: number): number {
  let depth = 0;
  let at = from;
  for (; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === QUOTE) at = endOfString(line, at);
    else if ((code & 0xdf) === 0x5b) depth += 1;
    else if ((code & 0xdf) === 0x5d) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (code === COMMA && depth === 0) return at;
  }
  return at;
}

/** Returns the position of the closing quote of the string that opens at `from`. */
function endOfString(line: string, from: number): number {
  for (let end = line.indexOf('"', from + 1); end >= 0; end = line.indexOf('"', end + 1)) {
    let slashes = 0;
    while (line.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return line.length;
}

/** Shortens a timestamp in quotes to the form of query results: none, three or six digits of a second. */
function shortTimestamp(quoted: string): string {
  const dot = quoted.indexOf(".");
  if (dot < 0) return quoted;
  const digits = quoted
    .slice(dot + 1, -2)
    .padEnd(6, "0")
    .replace(/(?:000)+$/, "");
  return `${quoted.slice(0, dot)}${digits === "" ? "" : `.${digits}`}Z"`;
}
