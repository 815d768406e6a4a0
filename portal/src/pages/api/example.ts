import { curlOf } from "../../kit/shell.ts";
import { permissionOf, type ApiDocument, type Operation, type Schema } from "./document.ts";
import { resolved } from "./schema.ts";

/** Returns an example of a schema, with the required members and the first alternative of each choice. */
export function exampleOf(given: Schema, document: Pick<ApiDocument, "components">): unknown {
  const schema = resolved(given, document);
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return exampleOf(schema.anyOf[0] ?? {}, document);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name] ?? {}, document)]),
      );
    case "array":
      return (schema.minItems ?? 0) > 0 || schema.items?.type === "string"
        ? [exampleOf(schema.items ?? {}, document)]
        : [];
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 1, 1);
    case "boolean":
      return true;
    case "null":
      return null;
    case undefined:
    default:
      return schema.format === "date-time" ? "2026-01-01T00:00:00Z" : "…";
  }
}

/** Returns a curl command with path parameters in capitals, the required query parameters, and a body of required members. */
export function exampleCommand(operation: Operation, document: ApiDocument): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) => name.toUpperCase());
  const query = operation.parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema, document)))}`)
    .join("&");
  const url = operation.server + path + (query === "" ? "" : `?${query}`);
  const json = operation.requestBody?.content["application/json"]?.schema;
  const command = curlOf(url, {
    method: operation.method,
    ...(json === undefined ? {} : { body: exampleOf(json, document) }),
  });
  return permissionOf(operation) === "public" ? command.replace(` -H "Authorization: Bearer $TOKEN"`, "") : command;
}
