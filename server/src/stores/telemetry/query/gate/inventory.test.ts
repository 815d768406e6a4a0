import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import {
  ALLOWED_AGGREGATES,
  ALLOWED_FUNCTIONS,
  ALLOWED_TABLE_FUNCTIONS,
  COUNTED_ARGUMENTS,
  NAMED_AGGREGATES,
} from "./functions.ts";
import { refusalReason } from "./refused.ts";

interface Known {
  readonly name: string;
  readonly kind: string;
  readonly sideEffects: boolean;
}

describe("the reviewed inventory of functions", () => {
  let version: unknown;
  let known: readonly Known[];

  before(async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    version = (await connection.runAndReadAll("SELECT version()")).getRows()[0]?.[0];
    const sql =
      "SELECT function_name, function_type, bool_or(coalesce(has_side_effects, false)) FROM duckdb_functions() GROUP BY ALL";
    const reader = await connection.runAndReadAll(sql);
    known = reader.getRows().map(([name, kind, sideEffects]) => ({
      name: String(name).toLowerCase(),
      kind: String(kind),
      sideEffects: sideEffects === true,
    }));
    connection.closeSync();
  });

  test("is for this version: another version needs a new review", () => {
    assert.equal(version, "v1.5.5");
    assert.ok(known.length > 900);
  });

  test("has every function of the engine as either allowed or refused", () => {
    const wrong: string[] = [];
    for (const { name, kind } of known) {
      const allowed =
        kind === "table" || kind === "table_macro" ? ALLOWED_TABLE_FUNCTIONS.has(name) : ALLOWED_FUNCTIONS.has(name);
      const refused = refusalReason(name) !== undefined;
      if (kind === "table_macro" && name === "histogram") continue; // The aggregate of this name is allowed.
      if (kind === "table" && name === "repeat") continue; // The scalar function is allowed.
      if (allowed === refused)
        wrong.push(`${kind} ${name} is ${allowed ? "both allowed and refused" : "not reviewed"}`);
    }
    assert.deepEqual(wrong, []);
  });

  test("allows only functions that the engine has", () => {
    const names = new Set(known.map(({ name }) => name));
    for (const name of [
      ...ALLOWED_FUNCTIONS,
      ...ALLOWED_TABLE_FUNCTIONS,
      ...COUNTED_ARGUMENTS.keys(),
      ...NAMED_AGGREGATES,
    ])
      assert.ok(names.has(name), name);
    const aggregates = new Set(known.filter(({ kind }) => kind !== "scalar").map(({ name }) => name));
    for (const name of ALLOWED_AGGREGATES) assert.ok(aggregates.has(name), name);
  });

  test("allows no side effects except random values and the clock", () => {
    const harmless = new Set(["random", "gen_random_uuid", "uuid", "uuidv4", "uuidv7"]);
    const effects = known
      .filter(({ name, sideEffects }) => sideEffects && ALLOWED_FUNCTIONS.has(name))
      .map(({ name }) => name);
    assert.deepEqual(
      effects.filter((name) => !harmless.has(name)),
      [],
    );
  });
});
