import type { Evaluate, Json } from "../gate/index.ts";

const MARK = "mooring_mark_";

/**
 * Renders each expression as the engine writes it. `edit` may change the tree's text before.
 * @throws Error when the texts can't be separated
 */
export async function renderList(
  expressions: readonly Json[],
  evaluate: Evaluate,
  edit: (tree: string) => string = (tree) => tree,
): Promise<string[]> {
  const marked = expressions.map((expression, i) => ({ ...expression, alias: `${MARK}${i}_` }));
  const from = { type: "EMPTY", alias: "", sample: null };
  const node = {
    type: "SELECT_NODE",
    modifiers: [],
    cte_map: { map: [] },
    select_list: marked,
    from_table: from,
    where_clause: null,
    group_expressions: [],
    group_sets: [],
    aggregate_handling: "STANDARD_HANDLING",
    having: null,
    sample: null,
    qualify: null,
  };
  const tree = JSON.stringify({ error: false, statements: [{ node, named_param_map: [] }] });
  const sql = await evaluate("SELECT json_deserialize_sql($1::JSON)", edit(tree));
  const parts = sql.slice("SELECT ".length).split(new RegExp(` AS ${MARK}\\d+_(?:, |$)`));
  if (parts.length !== expressions.length + 1 || parts.at(-1) !== "")
    throw new Error("cannot render a list of expressions");
  return parts.slice(0, -1);
}
