import { LEVEL_SPELLINGS, SEVERITY_NAMES } from "#kernel/severity.ts";

/** Removes color codes and surrounding punctuation from `level`, as `severityOf` does. */
const WORD = String.raw`regexp_replace(regexp_replace(lower("level"), '\x1b\[[0-9;]*m', '', 'g'), '^[^a-z0-9]+|[^a-z0-9]+$', '', 'g')`;
const NUMBERS = [...LEVEL_SPELLINGS].map(([word, number]) => `'${word}': ${number}::UTINYINT`).join(", ");

/** Older versions knew fewer level names. Their rows without a severity get it from `level` here. */
export const SEVERITY_ANEW = `coalesce("severity", (MAP {${NUMBERS}})[${WORD}])`;

/**
 * Returns SQL for the name of a severity number, as `severityName` does. The SQL has `severity` only once, because that may
 * be a long expression.
 */
export function severityNameSql(severity: string): string {
  const names = SEVERITY_NAMES.map((name) => `'${name}'`).join(", ");
  return `([${names}])[(${severity}::INTEGER + 3) // 4]`;
}
