import type { Rule } from "#domain/ingest-rules/index.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { isObject, type JsonObject } from "../wire/check.ts";

/** Whether a row is one of the rule's. A member that rows of the type don't have never matches. */
export function matches(
  type: TelemetryType,
  row: JsonObject,
  { projectId, match }: Pick<Rule, "projectId" | "match">,
): boolean {
  if (projectId !== null && row["project_id"] !== projectId) return false;
  const { service, level, severity_from: from, severity_below: below, name, message_contains: part } = match;
  if (service !== undefined && serviceOf(type, row) !== service) return false;
  if (level !== undefined && textOf(row["level"]).toLowerCase() !== level.toLowerCase()) return false;
  if (from !== undefined && !(Number(row["severity"]) >= from)) return false;
  if (below !== undefined && !(Number(row["severity"]) < below)) return false;
  if (name !== undefined && row["name"] !== name) return false;
  if (part !== undefined && !textOf(row["message"]).includes(part)) return false;
  return hasAttributes(row[type === "metrics" ? "tags" : "attributes"], match.attributes);
}

/** As in queries: the service of a sample is a tag. */
function serviceOf(type: TelemetryType, row: JsonObject): unknown {
  if (type !== "metrics") return row["service"];
  const tags = isObject(row["tags"]) ? row["tags"] : {};
  return tags["service.name"] ?? tags["service"];
}

function hasAttributes(attributes: unknown, wanted: Readonly<Record<string, string>> | undefined): boolean {
  if (wanted === undefined) return true;
  return Object.entries(wanted).every(([name, value]) => {
    const found = attributeOf(attributes, name);
    return found !== undefined && (typeof found === "string" ? found : JSON.stringify(found)) === value;
  });
}

/** Finds a member by its key, or by a JSON pointer (RFC 6901), which begins with a slash. */
function attributeOf(attributes: unknown, name: string): unknown {
  const keys = name.startsWith("/") ? name.slice(1).split("/").map(unescaped) : [name];
  let found = attributes;
  for (const key of keys) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as JsonObject)[key];
  }
  return found;
}

function unescaped(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
