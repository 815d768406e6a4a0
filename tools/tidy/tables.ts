import { isTest, lineAt, type Rule, type SourceFile } from "./files.ts";

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

/** Its rows name tables, all of which `store.ts` beside it reads. */
const READ_BY_ROWS = "server/src/domain/quotas/kinds.ts";

/** A table that is written on every request and that nobody reads costs time and disk for nothing. */
export const readTables: Rule = {
  name: "tables-are-read",
  check: (files) => {
    const product = files.filter(
      ({ path }) =>
        path.startsWith("server/src/") && !isTest(path) && !SCHEMA.test(path) && !/\/migrations\//.test(path),
    );
    const text = product.map((file) => file.text).join("\n");
    const rows = product.find(({ path }) => path === READ_BY_ROWS)?.text ?? "";
    return tablesOf(files)
      .filter((table) => !isRead(table, text) && !rows.includes(`table: "${table}"`))
      .map((table) => `the table ${table} is never read; remove it, or read it`);
  },
};

const PROJECTS = "server/src/domain/projects/";
/** The table of projects in a query, by the query builder or in SQL, and the type of its rows. */
const PROJECT_TABLE =
  /(?:selectFrom|[jJ]oin|insertInto|updateTable|deleteFrom)\(\s*\[?["'`]project\b(?!_)|(?:\b(?:from|join|into|update)\s+|sql`\s*)"?project\b(?!_)(?=["`]?\s*(?:\n|`|as\b|where\b|set\b|on\b|\())|Tables\["project"\]|["'`]project\.state["'`]|["'`.]state_since["'`]/g;

/** Files that may name it, and why. */
const NAMES_PROJECTS: Readonly<Record<string, string>> = {
  "server/src/domain/limits/store.ts": "counts the rows of every table that has a limit",
};

/** A state of a project that one query forgets is a state that does not hold there. */
export const projectsInOnePlace: Rule = {
  name: "projects-in-one-place",
  check: (files) => {
    const product = files.filter(
      ({ path }) =>
        path.startsWith("server/src/") &&
        !isTest(path) &&
        !path.startsWith(PROJECTS) &&
        !/\/stores\/metadata\/(?:schema|migrations\/)/.test(path),
    );
    const named = product.flatMap(({ path, text }) =>
      [...text.matchAll(PROJECT_TABLE)].map(({ index }) => ({ path, line: lineAt(text, index) })),
    );
    const isUsed = (path: string): boolean => named.some((each) => each.path === path);
    return [
      ...named
        .filter(({ path }) => NAMES_PROJECTS[path] === undefined)
        .map(
          ({ path, line }) => `${path}:${line}: ask ${PROJECTS}index.ts for projects, and join them by \`withProject\``,
        ),
      ...Object.keys(NAMES_PROJECTS)
        .filter((path) => files.some((file) => file.path === path) && !isUsed(path))
        .map((path) => `${path} names no project any more; take it out of NAMES_PROJECTS in tools/tidy/tables.ts`),
    ];
  },
};
