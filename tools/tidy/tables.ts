import { isTest, type Rule, type SourceFile } from "./files.ts";

const SCHEMA = /^server\/src\/stores\/metadata\/schema[\w-]*\.ts$/;

function tablesOf(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => SCHEMA.test(path))
    .flatMap(({ text }) => [...text.matchAll(/interface \w*Tables\b[^{]*\{([\s\S]*?)^\}/gm)])
    .flatMap(([, body = ""]) => [...body.matchAll(/^ {2}(\w+): /gm)].map(([, table = ""]) => table));
}

/** A table in a query that returns rows: by the query builder, or in SQL. */
function isRead(table: string, text: string): boolean {
  const built = new RegExp(`(?:selectFrom|[jJ]oin|from|using)\\(\\s*\\[?[^()\\]]*["'\`]${table}\\b`);
  const written = new RegExp(`(?<!DELETE )\\b(?:FROM|JOIN)\\s+"?${table}\\b`);
  return built.test(text) || written.test(text);
}

/** A table that is written on every request and that nobody reads costs time and disk for nothing. */
export const readTables: Rule = {
  name: "tables-are-read",
  check: (files) => {
    const product = files.filter(
      ({ path }) =>
        path.startsWith("server/src/") && !isTest(path) && !SCHEMA.test(path) && !/\/migrations\//.test(path),
    );
    const text = product.map((file) => file.text).join("\n");
    return tablesOf(files)
      .filter((table) => !isRead(table, text))
      .map((table) => `the table ${table} is never read; remove it, or read it`);
  },
};
