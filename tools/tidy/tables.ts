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

/** Tables that the queries of one place alone may name. */
interface Owned {
  readonly rule: string;
  /** The beginning of the paths that may name them. */
  readonly home: string;
  readonly named: RegExp;
  /** Files elsewhere that may name them, and why. */
  readonly except: Readonly<Record<string, string>>;
  /** What to do instead. */
  readonly mend: string;
}

/** Names of tables in a query, by the query builder or in SQL. */
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
          .map((path) => `${path} needs no exception any more; take it out of ${rule} in tools/tidy/tables.ts`),
      ];
    },
  };
}

const COUNTS = { "server/src/domain/limits/store.ts": "counts the rows of every table that has a limit" };

/** A state of a project that one query forgets is a state that does not hold there. */
export const projectsInOnePlace = inOnePlace({
  rule: "projects-in-one-place",
  home: "server/src/domain/projects/",
  // The type of its rows, too.
  named: new RegExp(
    `${inQueries("project")}|Tables\\["project"\\]|["'\`]project\\.state["'\`]|["'\`.]state_since["'\`]`,
    "g",
  ),
  except: COUNTS,
  mend: "ask server/src/domain/projects/index.ts for projects, and join them by `withProject`",
});

/** Revoked, expired and pending credentials are refused in one place; a query elsewhere can forget one of these states. */
export const credentialsInOnePlace = inOnePlace({
  rule: "credentials-in-one-place",
  home: "server/src/domain/identity/credentials/store.ts",
  named: new RegExp(inQueries("credential|s3_key"), "g"),
  except: { ...COUNTS, "server/src/domain/identity/federation/store.ts": "shows the credential of each trust" },
  mend: "ask server/src/domain/identity/credentials for credentials and keys; its store.ts alone queries their tables",
});
