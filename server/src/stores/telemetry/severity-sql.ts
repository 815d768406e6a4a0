import { LEVEL_SPELLINGS, SEVERITY_NAMES } from "#kernel/severity.ts";

/** `level` without the characters around it: the text that `severityOf` looks up. */
const WORD = String.raw`regexp_replace(regexp_replace(lower("level"), '\x1b\[[0-9;]*m', '', 'g'), '^[^a-z0-9]+|[^a-z0-9]+$', '', 'g')`;
const NUMBERS = [...LEVEL_SPELLINGS].map(([word, number]) => `'${word}': ${number}::UTINYINT`).join(", ");

/** The severity of rows whose own was derived by older spellings: what these did not know is looked up. */
export const SEVERITY_ANEW = `coalesce("severity", (MAP {${NUMBERS}})[${WORD}])`;

/** The name of a severity number, as `severityName` gives it. A list names it once: `severity` may be a long expression. */
export function severityNameSql(severity: string): string {
  const names = SEVERITY_NAMES.map((name) => `'${name}'`).join(", ");
  return `([${names}])[(${severity}::INTEGER + 3) // 4]`;
}
