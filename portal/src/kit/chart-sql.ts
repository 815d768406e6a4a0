type Value = string | number | boolean | null;

/** A statement with its named parameters written into it, for the SQL page and for people to copy. */
export function withValues(sql: string, parameters: Readonly<Record<string, Value>>): string {
  return sql.replaceAll(/'(?:[^']|'')*'|\$([a-z_][a-z0-9_]*)/gi, (whole, name: string | undefined) => {
    const value = name === undefined ? undefined : parameters[name];
    return value === undefined ? whole : literal(value);
  });
}

function literal(value: Value): string {
  if (value === null) return "NULL";
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}
