/** Values of the names in a statement, as they were typed. */
export type ParameterTexts = Readonly<Record<string, string>>;

export type ParameterValue = string | number | boolean | null;

/** The names that a statement asks for by `$name`, in their order; not those inside of texts and comments. */
export function parameterNames(sql: string): string[] {
  const bare = sql.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, " ");
  return [...new Set([...bare.matchAll(/(?<![\w$])\$([A-Za-z_]\w*)/g)].map(([, name = ""]) => name))];
}

/** A typed value, read as on the command line: a JSON number, true, false, null or "…" as such, all else as text. */
export function parameterValue(text: string): ParameterValue {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value as ParameterValue;
  } catch {
    return text;
  }
  return text;
}

/** The other way about: how a value is typed. */
export function parameterText(value: unknown): string {
  return typeof value === "string" && parameterValue(value) === value ? value : JSON.stringify(value);
}

/** The values that a statement asks for; undefined when it asks for none. */
export function parametersOf(sql: string, texts: ParameterTexts): Record<string, ParameterValue> | undefined {
  const names = parameterNames(sql);
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, parameterValue(texts[name] ?? "")]));
}

/** Texts out of an address; none when it holds something else. */
export function readTexts(text: string | undefined): ParameterTexts {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    if (typeof value !== "object" || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
    );
  } catch {
    return {};
  }
}
