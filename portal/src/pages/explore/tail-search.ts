import { levelOfWord } from "./levels.ts";
import type { Search, Term } from "./search-language.ts";

const ATTRIBUTES_MAX = 10;

/**
 * Returns the parameters for the terms that the server's tail can filter. The page applies the other terms itself. Each
 * parameter can be used once. The tail's level includes more severe levels.
 */
export function tailSearch({ terms }: Search): URLSearchParams {
  const parameters = new URLSearchParams();
  let attributes = 0;
  for (const term of terms) {
    const [name, value] = parameterOf(term) ?? [];
    if (name === undefined || value === undefined || parameters.has(name) || value.length > 256) continue;
    if (name.startsWith("attributes.") && ++attributes > ATTRIBUTES_MAX) continue;
    parameters.set(name, value);
  }
  return parameters;
}

function parameterOf(term: Term): readonly [name: string, value: string] | null {
  if (term.not) return null;
  if (term.kind === "text") return ["q", term.text];
  const { field, condition } = term;
  if (field.kind === "column" && field.name === "level") {
    const word = condition.kind === "is" && condition.values.length === 1 ? condition.values[0] : atLeast(condition);
    const level = word === undefined ? null : levelOfWord(word);
    return level === null ? null : ["level", level.id];
  }
  const [only, ...more] = condition.kind === "is" ? condition.values : [];
  if (only === undefined || more.length > 0) return null;
  if (field.kind === "attribute") return [`attributes.${field.name}`, only];
  if (field.name === "message") return ["q", only];
  return field.name === "span_id" ? null : [field.name, only];
}

function atLeast(condition: Extract<Term, { kind: "field" }>["condition"]): string | undefined {
  return condition.kind === "compare" && condition.operator.startsWith(">") ? condition.value : undefined;
}
