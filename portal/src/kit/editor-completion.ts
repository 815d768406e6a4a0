/** The schema from `GET /v1/query/schema`. */
export interface SqlSchema {
  readonly tables: readonly {
    readonly name: string;
    readonly description: string;
    readonly columns: readonly { readonly name: string; readonly type: string; readonly description: string }[];
    readonly promoted_attributes: readonly string[];
  }[];
  readonly functions: readonly string[];
  readonly table_functions: readonly string[];
}

export interface Suggestion {
  readonly label: string;
  readonly type: "table" | "property" | "function" | "constant";
  readonly detail: string;
  readonly info?: string;
  /** The text to insert instead of the label. */
  readonly apply?: string;
  /** Suggestions with a greater value are higher in the list. */
  readonly boost: number;
}

/**
 * Returns suggestions for the place after `before` in the statement `sql`, and how many characters before it they
 * replace.
 */
export function suggestionsAt(
  schema: SqlSchema,
  sql: string,
  before: string,
): { readonly replaced: number; readonly suggestions: readonly Suggestion[] } | null {
  const key = /\battributes\s*->>?\s*'([^']*)$/.exec(before);
  if (key !== null) return { replaced: (key[1] ?? "").length, suggestions: attributesOf(schema, sql) };
  if (isInsideText(before)) return null;
  const member = /\b([a-z_]\w*)\.(\w*)$/i.exec(before);
  if (member !== null) {
    const [, name = "", typed = ""] = member;
    const table = schema.tables.find((each) => each.name === tableOfAlias(sql, name));
    return table === undefined ? null : { replaced: typed.length, suggestions: columnsOf([table]) };
  }
  const word = /\w*$/.exec(before)?.[0] ?? "";
  const tables = schema.tables.map(({ name, description }) => suggestion(name, "table", description, 4));
  if (/\b(?:from|join)\s+\w*$/i.test(before))
    return {
      replaced: word.length,
      suggestions: [...tables, ...schema.table_functions.map((name) => functionOf(name))],
    };
  const used = schema.tables.filter(({ name }) => new RegExp(`\\b${name}\\b`, "i").test(sql));
  const columns = columnsOf(used.length === 0 ? schema.tables.slice(0, 1) : used);
  return {
    replaced: word.length,
    suggestions: [...columns, ...tables, ...schema.functions.map((name) => functionOf(name))],
  };
}

function attributesOf(schema: SqlSchema, sql: string): Suggestion[] {
  const used = schema.tables.filter(({ name }) => new RegExp(`\\b${name}\\b`, "i").test(sql));
  const names = new Set((used.length === 0 ? schema.tables : used).flatMap((table) => table.promoted_attributes));
  return [...names].map((name) => suggestion(name, "constant", "fast: has a separate column", 5));
}

function columnsOf(tables: SqlSchema["tables"]): Suggestion[] {
  const seen = new Map<string, Suggestion>();
  for (const table of tables)
    for (const { name, type, description } of table.columns)
      if (!seen.has(name)) seen.set(name, { ...suggestion(name, "property", type, 5), info: description });
  return [...seen.values()];
}

function suggestion(label: string, type: Suggestion["type"], detail: string, boost: number): Suggestion {
  return { label, type, detail, boost };
}

function functionOf(name: string): Suggestion {
  return { label: name, type: "function", detail: "function", apply: `${name}(`, boost: -1 };
}

/** The table of an alias: `logs l` or `logs AS l`; otherwise the name itself. */
function tableOfAlias(sql: string, alias: string): string {
  const found = new RegExp(`\\b(?:from|join|,)\\s+(\\w+)\\s+(?:as\\s+)?${alias}\\b`, "i").exec(sql);
  return found?.[1] ?? alias;
}

function isInsideText(before: string): boolean {
  return (before.replaceAll("''", "").split("'").length - 1) % 2 === 1 || /--[^\n]*$/.test(before);
}

/**
 * Returns the place of a server error in a statement: by its line and column, or by the unknown name in the message.
 * Null: the message has neither.
 */
export function errorPlace(
  sql: string,
  message: string,
  position: { readonly line: number; readonly column: number } | null = null,
): { readonly from: number; readonly to: number } | null {
  const [, lineText, columnText] = /\(at line (\d+), column (\d+)\)/.exec(message) ?? [];
  const { line, column } = position ?? { line: lineText, column: columnText };
  const near = /at or near "([^"]+)"/.exec(message)?.[1];
  if (line !== undefined && column !== undefined) {
    const before = sql.split("\n").slice(0, Number(line) - 1);
    const from = before.reduce((sum, each) => sum + each.length + 1, 0) + Number(column) - 1;
    const word = near ?? /^\w+/.exec(sql.slice(from))?.[0] ?? "";
    return from >= sql.length
      ? { from: Math.max(0, sql.length - 1), to: sql.length }
      : { from, to: from + Math.max(1, word.length) };
  }
  const name =
    /(?:column|[Ff]unction(?: with name)?|[Tt]able(?: with name)?|named) "?([\w.]+)"? (?:not found|does not exist|is not|must)/.exec(
      message,
    )?.[1];
  const wanted = name?.split(".").at(-1);
  if (wanted === undefined) return null;
  const at = new RegExp(`\\b${wanted.replaceAll(/\W/g, "")}\\b`).exec(sql);
  return at === null ? null : { from: at.index, to: at.index + wanted.length };
}
