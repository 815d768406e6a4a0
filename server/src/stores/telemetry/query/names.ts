import { ALLOWED_FUNCTIONS, ALLOWED_TABLE_FUNCTIONS, OWN_FUNCTIONS, OWN_TABLE_FUNCTIONS } from "./gate/functions.ts";

/** The functions that a statement may call by name, for the schema. Operators are not included. */
export const FUNCTION_NAMES: readonly string[] = [...ALLOWED_FUNCTIONS, ...OWN_FUNCTIONS]
  .filter((name) => /^[a-z]/.test(name))
  .toSorted();

/** The functions that may be in FROM. */
export const TABLE_FUNCTION_NAMES: readonly string[] = [...ALLOWED_TABLE_FUNCTIONS, ...OWN_TABLE_FUNCTIONS].toSorted();
