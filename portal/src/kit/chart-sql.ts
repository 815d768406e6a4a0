type Value = string | number | boolean | null;

/** Writes the values of named parameters into a statement, for the SQL page and for copying. */
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
