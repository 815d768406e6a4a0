import { text } from "node:stream/consumers";
import { Problem } from "#kernel/problem.ts";
import type { QueryParameter, QueryRequest, StatementDescription, TelemetryStore } from "#stores/telemetry/index.ts";

export type Parameters = readonly QueryParameter[] | Readonly<Record<string, QueryParameter>>;

const DESCRIBE_TIMEOUT_MS = 5000;
const DESCRIBE_MEMORY_BYTES_MAX = 128 * 1024 * 1024;

/**
 * Returns the names of a statement's parameters, after the engine has checked that it can run. The statement does not
 * run and reads no row.
 * @throws Problem `invalid_sql`, `sql_not_allowed` that point at the statement, and the engine's own problem when it is
 * busy
 */
export async function describeStatement(
  telemetry: Pick<TelemetryStore, "query">,
  statement: Pick<QueryRequest, "orgId" | "origin" | "sql" | "signal">,
): Promise<readonly string[]> {
  try {
    const run = await telemetry.query({
      ...statement,
      visible: { projectIds: [], unassigned: false },
      parameters: [],
      format: "json",
      describe: true,
      timeoutMs: DESCRIBE_TIMEOUT_MS,
      memoryBytesMax: DESCRIBE_MEMORY_BYTES_MAX,
      rowsMax: 1,
      truncate: true,
    });
    return (JSON.parse(await text(run.body)) as StatementDescription).parameters;
  } catch (error) {
    if (!(error instanceof Problem) || (error.code !== "invalid_sql" && error.code !== "sql_not_allowed")) throw error;
    throw new Problem(error.code, error.message, { errors: [{ pointer: "/sql", detail: error.message }] });
  }
}

/**  @throws Problem `invalid_body` when a value names a parameter that the statement does not have */
export function refuseUnknownParameters(parameters: Parameters, names: readonly string[]): void {
  const given = Array.isArray(parameters) ? parameters.map((_value, i) => String(i + 1)) : Object.keys(parameters);
  const unknown = given.filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw new Problem("invalid_body", "Some values are for parameters that the statement does not have.", {
    errors: unknown.map((name) => ({
      pointer: `/parameters/${pointerOf(parameters, name)}`,
      detail: "is not a parameter of the statement",
    })),
  });
}

/** Returns the values of a run: named values are added to the saved ones, a list replaces them. */
export function parametersWith(saved: Parameters, given: Parameters | undefined): Parameters {
  if (given === undefined) return saved;
  return isList(given) || isList(saved) ? given : { ...saved, ...given };
}

function isList(parameters: Parameters): parameters is readonly QueryParameter[] {
  return Array.isArray(parameters);
}

function pointerOf(parameters: Parameters, name: string): string {
  return Array.isArray(parameters) ? String(Number(name) - 1) : name.replaceAll("~", "~0").replaceAll("/", "~1");
}
