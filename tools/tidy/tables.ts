import { isTest, lineAt, type Rule, type SourceFile } from "./files.ts";

const SCHEMA = /^server\/src\/stores\/metadata\/schema[\w-]*\.ts$/;

function tablesOf(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => SCHEMA.test(path))
    .flatMap(({ text }) => [...text.matchAll(/interface \w*Tables\b[^{]*\{([\s\S]*?)^\}/gm)])
    .flatMap(([, body = ""]) => [...body.matchAll(/^ {2}(\w+): /gm)].map(([, table = ""]) => table));
}

/** Whether the text has a query that returns rows of the table, by the query builder or in SQL. */
function isRead(table: string, text: string): boolean {
  const built = new RegExp(`(?:selectFrom|[jJ]oin|from|using)\\(\\s*\\[?[^()\\]]*["'\`]${table}\\b`);
  const written = new RegExp(`(?<!DELETE )\\b(?:FROM|JOIN)\\s+"?${table}\\b`);
  return built.test(text) || written.test(text);
}

/** The rows of this file name tables, and `store.ts` beside it reads all of them. */
const READ_BY_ROWS = "server/src/domain/quotas/kinds.ts";

/** Every table must be read. Writing a table that nobody reads wastes time and disk. */
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

/** Tables that only the queries of one place may name. */
interface Owned {
  readonly rule: string;
  /** The prefix of the paths that may name them. */
  readonly home: string;
  readonly named: RegExp;
  /** Other files that may name them, with the reason. */
  readonly except: Readonly<Record<string, string>>;
  /** The advice in the error. */
  readonly mend: string;
}

/** Returns a pattern that matches tables in queries, by the query builder or in SQL. */
function inQueries(names: string): string {
  return `(?:selectFrom|[jJ]oin|insertInto|updateTable|deleteFrom)\\(\\s*\\[?["'\`](?:${names})\\b(?!_)|(?:\\b(?:from|join|into|update)\\s+|sql\`\\s*)"?(?:${names})\\b(?!_)(?=["\`]?\\s*(?:\\n|\`|as\\b|where\\b|set\\b|on\\b|\\())`;
}

function inOnePlace({ rule, home, named, except, mend }: Owned): Rule {
  return {
    name: rule,
    check: (files) => {
      const product = files.filter(
        ({ path }) =>
          path.startsWith("server/src/") &&
          !isTest(path) &&
          !path.startsWith(home) &&
          !/\/stores\/metadata\/(?:schema|migrations\/)/.test(path),
      );
      const places = product.flatMap(({ path, text }) =>
        [...text.matchAll(named)].map(({ index }) => ({ path, line: lineAt(text, index) })),
      );
      const isUsed = (path: string): boolean => places.some((each) => each.path === path);
      return [
        ...places.filter(({ path }) => except[path] === undefined).map(({ path, line }) => `${path}:${line}: ${mend}`),
        ...Object.keys(except)
          .filter((path) => files.some((file) => file.path === path) && !isUsed(path))
          .map((path) => `${path} needs no exception any more; remove it from ${rule} in tools/tidy/tables.ts`),
      ];
    },
  };
}

const COUNTS = { "server/src/domain/limits/store.ts": "counts the rows of every table that has a limit" };

/** Only one place may query projects, because a query that forgets a state of a project does not enforce it. */
export const projectsInOnePlace = inOnePlace({
  rule: "projects-in-one-place",
  home: "server/src/domain/projects/",
  // Also matches the type of its rows.
  named: new RegExp(
    `${inQueries("project")}|Tables\\["project"\\]|["'\`]project\\.state["'\`]|["'\`.]state_since["'\`]`,
    "g",
  ),
  except: COUNTS,
  mend: "use the functions of server/src/domain/projects/index.ts, and `withProject` for joins",
});

/** Only one place may query credentials: a query elsewhere can forget that one may be revoked, expired or pending. */
export const credentialsInOnePlace = inOnePlace({
  rule: "credentials-in-one-place",
  home: "server/src/domain/identity/credentials/store.ts",
  named: new RegExp(inQueries("credential|s3_key"), "g"),
  except: {
    ...COUNTS,
    "server/src/domain/identity/federation/store.ts": "shows the credential of each trust",
    "server/src/domain/people/deletion/store.ts": "removes names from the tokens of a deleted person",
  },
  mend: "use the functions of server/src/domain/identity/credentials; only its store.ts queries the tables of credentials and keys",
});
