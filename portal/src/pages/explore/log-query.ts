import { LEVEL_SQL, LEVELS, levelOfWord } from "./levels.ts";
import type { Condition, Field, Search, Term } from "./search-language.ts";

export type Value = string | number;

/** A statement and the values of its `$names`. */
export interface Statement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, Value>>;
}

/** The conditions of the page: a search, in one project or all. */
export interface Wanted {
  readonly search: Search;
  readonly projectId: string | null;
}

export const ENTRY_COLUMNS = "timestamp, level, severity, message, service, trace_id, span_id, attributes, project_id";

/** How values are written into a statement: as parameters, or as literals if people will read and change it. */
type Place = (value: Value) => string;

/** Returns a statement for the newest matching entries of a range. */
export function entriesStatement(wanted: Wanted, limit: number): Statement {
  return statement(
    (place) => `SELECT ${ENTRY_COLUMNS} FROM logs${where(wanted, place)} ORDER BY timestamp DESC LIMIT ${limit}`,
  );
}

/** Returns a statement that counts entries by level and time step. */
export function histogramStatement(wanted: Wanted, stepMs: number): Statement {
  return statement(
    (place) =>
      `SELECT time_bucket(INTERVAL '${stepMs} milliseconds', timestamp) AS moment, ${LEVEL_SQL} AS level_name, count(*) AS n ` +
      `FROM logs${where(wanted, place)} GROUP BY ALL ORDER BY moment`,
  );
}

/**
 * Returns a statement that counts entries by level, by service, and in total. The counts of a field ignore the search
 * terms on that field; the total ignores the search.
 */
export function facetsStatement(wanted: Wanted): Statement {
  const but = (name: string): Wanted => ({
    ...wanted,
    search: { ...wanted.search, terms: wanted.search.terms.filter((term) => !isOfColumn(term, name)) },
  });
  const all = { ...wanted, search: { terms: [], mistakes: [] } };
  return statement(
    (place) =>
      `(SELECT 'level' AS facet, ${LEVEL_SQL} AS value, count(*) AS n FROM logs${where(but("level"), place)} GROUP BY ALL) ` +
      `UNION ALL (SELECT 'service', service, count(*) AS n FROM logs${where(but("service"), place)} GROUP BY ALL ORDER BY n DESC LIMIT 30) ` +
      `UNION ALL (SELECT 'all', NULL, count(*) FROM logs${where(all, place)})`,
  );
}

/** Returns the search as a statement with literals, for people to continue with. */
export function readableSql(wanted: Wanted): string {
  const conditions = conditionsOf(wanted, literal);
  const lines = conditions.map((condition, index) => `${index === 0 ? "WHERE " : "  AND "}${condition}`);
  return [
    "SELECT timestamp, level, service, message, attributes",
    "FROM logs",
    ...lines,
    "ORDER BY timestamp DESC",
    "LIMIT 1000",
  ].join("\n");
}

function statement(write: (place: Place) => string): Statement {
  const names = new Map<Value, string>();
  const place: Place = (value) => {
    const name = names.get(value) ?? `p${names.size}`;
    names.set(value, name);
    return `$${name}`;
  };
  const sql = write(place);
  return { sql, parameters: Object.fromEntries([...names].map(([value, name]) => [name, value])) };
}

/** Formats a value as a SQL literal. */
export function literal(value: Value): string {
  return typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

function where(wanted: Wanted, place: Place): string {
  const conditions = conditionsOf(wanted, place);
  return conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
}

function conditionsOf({ search, projectId }: Wanted, place: Place): string[] {
  const project = projectId === null ? [] : [`project_id = ${place(projectId)}`];
  const conditions = search.terms.map((term) => {
    const condition = termSql(term, place);
    return term.not ? `(${condition}) IS NOT TRUE` : condition;
  });
  return [...project, ...conditions];
}

function termSql(term: Term, place: Place): string {
  if (term.kind === "text") return contains(place(term.text));
  const { field, condition } = term;
  if (field.kind === "column" && field.name === "level") return levelSql(condition, place);
  const isMessage = field.kind === "column" && field.name === "message";
  if (isMessage && condition.kind === "is") return anyOf(condition.values.map((value) => contains(place(value))));
  return conditionSql(expressionOf(field, place), condition, { place, isAttribute: field.kind === "attribute" });
}

function contains(text: string): string {
  return `contains(lower(message), lower(${text}))`;
}

/**
 * Returns the SQL expression of a field. An attribute's name is a literal, so that the server can use the separate
 * column of a frequent attribute.
 */
function expressionOf(field: Field, place: Place): string {
  if (field.kind === "column") return field.name;
  return `(attributes->>${/^[\w.@-]+$/.test(field.name) ? `'${field.name}'` : place(field.name)})`;
}

function conditionSql(
  expression: string,
  condition: Condition,
  { place, isAttribute }: { place: Place; isAttribute: boolean },
): string {
  switch (condition.kind) {
    case "is": {
      const [only, ...more] = condition.values;
      if (only === undefined) return "false";
      if (more.length === 0) return `${expression} = ${place(only)}`;
      return `${expression} IN (${condition.values.map(place).join(", ")})`;
    }
    case "like":
      return `${expression} ILIKE ${place(likePattern(condition.pattern))} ESCAPE ${place("\\")}`;
    case "has":
      return `${expression} IS NOT NULL`;
    case "compare": {
      const number = Number(condition.value);
      if (Number.isNaN(number)) return `${expression} ${condition.operator} ${place(condition.value)}`;
      const compared = isAttribute ? `try_cast(${expression} AS DOUBLE)` : expression;
      return `${compared} ${condition.operator} ${place(isAttribute ? number : condition.value)}`;
    }
  }
}

/** Converts a pattern to LIKE. `*` matches any text; characters with a meaning in LIKE are escaped. */
export function likePattern(pattern: string): string {
  return pattern.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`).replaceAll("*", "%");
}

/** Returns the condition for a level. Known levels are found by severity, in every spelling; others by their word. */
function levelSql(condition: Condition, place: Place): string {
  if (condition.kind === "is")
    return anyOf(
      condition.values.map((word) => {
        const level = levelOfWord(word);
        if (word.toLowerCase() === "other") return "severity IS NULL";
        return level === null
          ? `lower(level) = lower(${place(word)})`
          : `severity BETWEEN ${level.from} AND ${level.to}`;
      }),
    );
  if (condition.kind !== "compare") return conditionSql("level", condition, { place, isAttribute: false });
  const level = levelOfWord(condition.value);
  const { from, to } = level ?? LEVELS[0];
  const bound = { ">": to, ">=": from, "<": from, "<=": to }[condition.operator];
  return `severity ${condition.operator} ${bound}`;
}

function anyOf(conditions: readonly string[]): string {
  return conditions.length === 1 ? (conditions[0] ?? "false") : `(${conditions.join(" OR ")})`;
}

function isOfColumn(term: Term, name: string): boolean {
  return term.kind === "field" && !term.not && term.field.kind === "column" && term.field.name === name;
}
