import { posix } from "node:path";
import { PROBLEMS } from "../../server/src/http/problems.ts";
import { faultsOf } from "../lock/faults.ts";
import type { Lock } from "../lock/lock.ts";
import type { Rule, SourceFile } from "./files.ts";

function pages(files: readonly SourceFile[]): SourceFile[] {
  return files
    .filter(({ path }) => path.endsWith(".md"))
    .map(({ path, text }) => ({ path, text: text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, "") }));
}

const oneTitle: Rule = {
  name: "one-title",
  check: (files) =>
    pages(files).flatMap(({ path, text }) => {
      const titles = text.match(/^# .+/gm)?.length ?? 0;
      if (titles !== 1) return [`${path}: has ${titles} titles (#), must have one`];
      return text.startsWith("# ") ? [] : [`${path}: does not start with its title`];
    }),
};

/** Relative links must point to a file or a folder of the repository. */
const links: Rule = {
  name: "links",
  check: (files) => {
    const paths = files.map(({ path }) => path);
    return pages(files).flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g)]
        .map((match) => ({ link: match[1] ?? "", target: posix.join(posix.dirname(path), match[1] ?? "") }))
        .filter(
          ({ target }) => !paths.some((known) => known === target || known.startsWith(`${target.replace(/\/$/, "")}/`)),
        )
        .map(({ link }) => `${path}: links to ${link}, which does not exist`),
    );
  },
};

/** Returns the pages that a page links to. */
function linkedFrom({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+\.md)[^)]*\)/g)].map((match) =>
    posix.join(posix.dirname(path), match[1] ?? ""),
  );
}

const INDEX = "docs/README.md";
/** The index of the pages in docs/how-to/bad-days. */
const BAD_DAYS = "docs/how-to/bad-days.md";
const KINDS =
  /^docs\/(start|access|architecture|glossary|adding-an-operation|(how-to(\/bad-days)?|reference|explanation)\/[\w-]+)\.md$/;

/** docs/ has four kinds of pages, and the index links to every one. */
const pageIndex: Rule = {
  name: "page-index",
  check: (files) => {
    const docs = pages(files).filter(({ path }) => path.startsWith("docs/") && path !== INDEX);
    const index = pages(files).find(({ path }) => path === INDEX);
    if (index === undefined) return [];
    const days = pages(files).filter(({ path }) => path === BAD_DAYS);
    const linked = [index, ...days].flatMap(linkedFrom);
    return docs.flatMap(({ path }) => [
      ...(linked.includes(path) ? [] : [`${path}: ${INDEX} does not link to it`]),
      ...(KINDS.test(path) ? [] : [`${path}: put it into docs/how-to, docs/reference or docs/explanation`]),
    ]);
  },
};

/** kernel/problem.ts and docs/reference/errors.md must have the same codes. */
const errorCodes: Rule = {
  name: "error-codes",
  check: (files) => {
    const page = files.find(({ path }) => path === "docs/reference/errors.md")?.text ?? "";
    const documented = [...page.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1] ?? "");
    const known = Object.keys(PROBLEMS);
    return [
      ...known
        .filter((code) => !documented.includes(code))
        .map((code) => `docs/reference/errors.md: ${code} is missing`),
      ...documented
        .filter((code) => !known.includes(code))
        .map((code) => `docs/reference/errors.md: ${code} is not in kernel/problem.ts`),
    ];
  },
};

/** `npm ci` must install the same bytes everywhere. */
const lockFileSound: Rule = {
  name: "lock-file-sound",
  check: (files) =>
    files
      .filter(({ path }) => path === "package-lock.json")
      .flatMap(({ text }) => faultsOf(JSON.parse(text) as Lock))
      .map((fault) => `package-lock.json: ${fault}; choose another version or package`),
};

export const DOCS_RULES: readonly Rule[] = [oneTitle, links, pageIndex, errorCodes, lockFileSound];
