/** The texts in the fields for parameters, by name. */
export type ParameterTexts = Readonly<Record<string, string>>;

export type ParameterValue = string | number | boolean | null;

/** Returns the names of the `$name` parameters of a statement in order, without those inside texts and comments. */
export function parameterNames(sql: string): string[] {
  const bare = sql.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, " ");
  return [...new Set([...bare.matchAll(/(?<![\w$])\$([A-Za-z_]\w*)/g)].map(([, name = ""]) => name))];
}

/**
 * Parses a value like the command line does: a JSON number, true, false, null or "…" is JSON, everything else is text.
 */
export function parameterValue(text: string): ParameterValue {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value as ParameterValue;
  } catch {
    return text;
  }
  return text;
}

/** Formats a value as the text that `parameterValue` parses. */
export function parameterText(value: unknown): string {
  return typeof value === "string" && parameterValue(value) === value ? value : JSON.stringify(value);
}

/** Returns the values of a statement's parameters, or undefined if it has none. */
export function parametersOf(sql: string, texts: ParameterTexts): Record<string, ParameterValue> | undefined {
  const names = parameterNames(sql);
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, parameterValue(texts[name] ?? "")]));
}

/** Reads the texts in an address; empty if they are invalid. */
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
