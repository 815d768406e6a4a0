import { openApiOf } from "../../server/src/http/index.ts";
import { API_PARTS, API_VERSION } from "../../server/src/surfaces/api/index.ts";
import type { Generated } from "./generated-file.ts";

export const OPENAPI_FILES: readonly Generated[] = [
  ...API_PARTS.map(({ name, title, description, rows }) => ({
    path: `openapi/${name}.json`,
    render: () => `${JSON.stringify(openApiOf({ title, description, rows, version: API_VERSION }), null, 2)}\n`,
  })),
  { path: "openapi/operations.txt", render: operationsList },
];

/** Writes one line for each operation, so that a change of the interface is a change of one line. */
function operationsList(): string {
  const lines = API_PARTS.flatMap(({ name, rows }) =>
    rows.map((row) => `${row.method.padEnd(6)} ${row.path} ${row.permission} ${name}.${row.operationId}`),
  );
  return `${lines.toSorted((a, b) => a.slice(7).localeCompare(b.slice(7), "en")).join("\n")}\n`;
}
