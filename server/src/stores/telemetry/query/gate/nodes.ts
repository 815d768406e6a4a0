/**
 * The nodes of DuckDB 1.5.5's syntax tree (as in `json_serialize_sql`) that a statement may have. Lists every allowed member
 * of a node, and how it is checked. All other nodes and members are refused.
 */
export type Check =
  | "plain" // a scalar, or a list of scalars or lists of scalars
  | "null" // must be empty: null, "", [] or {}
  | "constant" // a literal value
  | "type"
  | "expression"
  | "expressions"
  | "rows" // list of lists of expressions
  | "orders"
  | "orderModifier"
  | "modifiers"
  | "table"
  | "query"
  | "statement" // { node, named_param_map }
  | "ctes"
  | "sample"
  | "cases"
  | "pivots"
  | "replacements" // [{ key, value: expression }]
  | "renames" // [{ key: { column … }, value }] or column descriptions
  | "function"; // the call of a table function

export type Members = Readonly<Record<string, Check>>;

const EXPRESSION: Members = { class: "plain", type: "plain", alias: "plain", query_location: "plain" };
const TABLE: Members = {
  type: "plain",
  alias: "plain",
  sample: "sample",
  query_location: "plain",
  column_name_alias: "plain",
};
const NODE: Members = { type: "plain", modifiers: "modifiers", cte_map: "ctes" };

/** Expressions by `class`. */
export const EXPRESSIONS: Readonly<Record<string, Members>> = {
  CONSTANT: { ...EXPRESSION, value: "constant" },
  COLUMN_REF: { ...EXPRESSION, column_names: "plain" },
  PARAMETER: { ...EXPRESSION, identifier: "plain" },
  POSITIONAL_REFERENCE: { ...EXPRESSION, index: "plain" },
  STAR: {
    ...EXPRESSION,
    relation_name: "plain",
    exclude_list: "renames",
    replace_list: "replacements",
    columns: "plain",
    expr: "expression",
    qualified_exclude_list: "renames",
    rename_list: "renames",
    unpacked: "plain",
  },
  CAST: { ...EXPRESSION, child: "expression", cast_type: "type", try_cast: "plain" },
  COLLATE: { ...EXPRESSION, child: "expression", collation: "plain" },
  BETWEEN: { ...EXPRESSION, input: "expression", lower: "expression", upper: "expression" },
  CASE: { ...EXPRESSION, case_checks: "cases", else_expr: "expression" },
  COMPARISON: { ...EXPRESSION, left: "expression", right: "expression" },
  CONJUNCTION: { ...EXPRESSION, children: "expressions" },
  OPERATOR: { ...EXPRESSION, children: "expressions" },
  LAMBDA: { ...EXPRESSION, lhs: "expression", expr: "expression", syntax_type: "plain" },
  SUBQUERY: {
    ...EXPRESSION,
    subquery_type: "plain",
    subquery: "statement",
    child: "expression",
    comparison_type: "plain",
  },
  FUNCTION: {
    ...EXPRESSION,
    function_name: "plain",
    schema: "plain",
    catalog: "plain",
    children: "expressions",
    filter: "expression",
    order_bys: "orderModifier",
    distinct: "plain",
    is_operator: "plain",
    export_state: "plain",
  },
  WINDOW: {
    ...EXPRESSION,
    function_name: "plain",
    schema: "plain",
    catalog: "plain",
    children: "expressions",
    partitions: "expressions",
    orders: "orders",
    start: "plain",
    end: "plain",
    start_expr: "expression",
    end_expr: "expression",
    offset_expr: "expression",
    default_expr: "expression",
    ignore_nulls: "plain",
    filter_expr: "expression",
    exclude_clause: "plain",
    distinct: "plain",
    arg_orders: "orders",
  },
};

/** Operators by `type`: comparisons with lists, tests for NULL, access to parts. None has a side effect. */
export const OPERATORS: ReadonlySet<string> = new Set(
  `OPERATOR_NOT OPERATOR_IS_NULL OPERATOR_IS_NOT_NULL OPERATOR_NULLIF OPERATOR_COALESCE OPERATOR_TRY OPERATOR_UNPACK COMPARE_IN COMPARE_NOT_IN
  ARRAY_EXTRACT ARRAY_SLICE ARRAY_CONSTRUCTOR STRUCT_EXTRACT ARROW GROUPING_FUNCTION`.split(/\s+/),
);

/** The nodes of FROM, by `type`. */
export const TABLES: Readonly<Record<string, Members>> = {
  EMPTY: TABLE,
  // `at_clause` reads older versions of attached databases. There are none.
  BASE_TABLE: { ...TABLE, schema_name: "plain", table_name: "plain", catalog_name: "plain", at_clause: "null" },
  JOIN: {
    ...TABLE,
    left: "table",
    right: "table",
    condition: "expression",
    join_type: "plain",
    ref_type: "plain",
    using_columns: "plain",
    delim_flipped: "plain",
    duplicate_eliminated_columns: "expressions",
  },
  SUBQUERY: { ...TABLE, subquery: "statement" },
  TABLE_FUNCTION: { ...TABLE, function: "function", with_ordinality: "plain" },
  EXPRESSION_LIST: { ...TABLE, expected_names: "plain", expected_types: "null", values: "rows" },
  PIVOT: {
    ...TABLE,
    source: "table",
    aggregates: "expressions",
    unpivot_names: "plain",
    pivots: "pivots",
    groups: "plain",
    include_nulls: "plain",
  },
  // DESCRIBE and SUMMARIZE of a query. The other forms of SHOW list the catalog.
  SHOW_REF: {
    ...TABLE,
    table_name: "null",
    catalog_name: "null",
    schema_name: "null",
    query: "query",
    show_type: "plain",
  },
};

/** Query nodes by `type`. */
export const QUERIES: Readonly<Record<string, Members>> = {
  SELECT_NODE: {
    ...NODE,
    select_list: "expressions",
    from_table: "table",
    where_clause: "expression",
    group_expressions: "expressions",
    group_sets: "plain",
    aggregate_handling: "plain",
    having: "expression",
    sample: "sample",
    qualify: "expression",
  },
  SET_OPERATION_NODE: { ...NODE, setop_type: "plain", left: "query", right: "query", setop_all: "plain" },
  RECURSIVE_CTE_NODE: {
    ...NODE,
    cte_name: "plain",
    union_all: "plain",
    left: "query",
    right: "query",
    aliases: "plain",
    key_targets: "expressions",
  },
};

/** Modifiers of a query by `type`. */
export const MODIFIERS: Readonly<Record<string, Members>> = {
  ORDER_MODIFIER: { type: "plain", orders: "orders" },
  LIMIT_MODIFIER: { type: "plain", limit: "expression", offset: "expression" },
  LIMIT_PERCENT_MODIFIER: { type: "plain", limit: "expression", offset: "expression" },
  DISTINCT_MODIFIER: { type: "plain", distinct_on_targets: "expressions" },
};

export const ORDER: Members = { type: "plain", null_order: "plain", expression: "expression" };
export const CASE_CHECK: Members = { when_expr: "expression", then_expr: "expression" };
export const PIVOT_COLUMN: Members = {
  pivot_expressions: "expressions",
  unpivot_names: "plain",
  entries: "null",
  pivot_enum: "null",
  subquery: "null",
};
export const PIVOT_ENTRY: Members = { values: "null", star_expr: "expression", alias: "plain" };
export const REPLACEMENT: Members = { key: "plain", value: "expression" };
export const RENAME: Members = {
  key: "renames",
  value: "plain",
  catalog: "plain",
  schema: "plain",
  table: "plain",
  column: "plain",
};
export const STATEMENT: Members = { node: "query", named_param_map: "plain" };
export const SAMPLE: Members = { sample_size: "constant", is_percentage: "plain", method: "plain", seed: "plain" };
export const CTE: Members = { aliases: "plain", query: "statement", materialized: "plain", key_targets: "expressions" };
