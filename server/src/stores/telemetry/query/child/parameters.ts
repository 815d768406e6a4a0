import { BIGINT, BOOLEAN, DOUBLE, INTEGER, VARCHAR, type DuckDBPreparedStatement } from "@duckdb/node-api";
import type { ChildQuery } from "../protocol.ts";
import type { QueryParameter } from "../../types.ts";
import { Failure } from "./failure.ts";

/**
 * Binds the values of a request.
 * @throws Failure `invalid_parameter` when names or number do not match
 */
export function bindParameters(statement: DuckDBPreparedStatement, parameters: ChildQuery["parameters"]): void {
  const names = parameterNames(statement);
  const values = Array.isArray(parameters)
    ? positional(names, parameters as readonly QueryParameter[])
    : named(names, parameters as Readonly<Record<string, QueryParameter>>);
  values.forEach((value, i) => bind(statement, i + 1, value));
}

/** Lists the names of the parameters in order. Positional parameters have numbers from 1. */
export function parameterNames(statement: DuckDBPreparedStatement): string[] {
  return Array.from({ length: statement.parameterCount }, (_, i) => statement.parameterName(i + 1));
}

function positional(names: readonly string[], values: readonly QueryParameter[]): readonly QueryParameter[] {
  const wanted = names.find((name) => !/^\d+$/.test(name));
  if (wanted !== undefined && values.length > 0)
    throw new Failure(
      "invalid_parameter",
      `the statement names its parameters ($${wanted}); send "parameters" as an object`,
    );
  if (values.length !== names.length)
    throw new Failure(
      "invalid_parameter",
      `the statement has ${names.length} parameters, but ${values.length} values were sent`,
    );
  return names.map((name) => values[Number(name) - 1] ?? null);
}

function named(names: readonly string[], values: Readonly<Record<string, QueryParameter>>): readonly QueryParameter[] {
  const missing = names.filter((name) => !Object.hasOwn(values, name));
  if (missing.length > 0)
    throw new Failure(
      "invalid_parameter",
      `the statement has the parameter $${missing[0]}, but no value of that name was sent`,
    );
  const extra = Object.keys(values).find((name) => !names.includes(name));
  if (extra !== undefined)
    throw new Failure(
      "invalid_parameter",
      `a value was sent for $${extra.slice(0, 64)}, but the statement has no such parameter`,
    );
  return names.map((name) => values[name] ?? null);
}

/** The prefix that turns a positional parameter's number into a name. A part of a statement may have only some of them. */
const POSITION = "position_";

/**
 * Names positional parameters, because `$2` can't be bound without `$1`. Quotes within texts are escaped in the tree, so
 * only nodes match.
 */
export function nameParameters(tree: string): string {
  return tree.replaceAll(/"identifier":"(\d+)"/g, `"identifier":"${POSITION}$1"`);
}

/** Binds only the values that a part of another statement needs. */
export function bindNamed(statement: DuckDBPreparedStatement, parameters: ChildQuery["parameters"]): void {
  const values = parameters as Readonly<Record<string, QueryParameter>>;
  for (let i = 1; i <= statement.parameterCount; i++) {
    const name = statement.parameterName(i);
    const key = Array.isArray(parameters) ? String(Number(name.slice(POSITION.length)) - 1) : name;
    if (Object.hasOwn(values, key)) bind(statement, i, values[key] ?? null);
  }
}

// Whole numbers bind as INTEGER if they fit, otherwise as BIGINT, like literals. LIMIT ? and date + ? need this.
function bind(statement: DuckDBPreparedStatement, index: number, value: QueryParameter): void {
  if (value === null) return statement.bindNull(index);
  if (typeof value === "boolean") return statement.bindValue(index, value, BOOLEAN);
  if (typeof value === "string") return statement.bindValue(index, value.toWellFormed(), VARCHAR);
  if (!Number.isSafeInteger(value)) return statement.bindValue(index, value, DOUBLE);
  if (value === (value | 0)) return statement.bindValue(index, value, INTEGER);
  statement.bindValue(index, BigInt(value), BIGINT);
}
