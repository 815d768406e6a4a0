import { COMMANDS } from "../../server/src/app/commands/index.ts";
import type { Rule, SourceFile } from "./files.ts";

function textOf(files: readonly SourceFile[], path: string): string | undefined {
  return files.find((file) => file.path === path)?.text;
}

/** Returns the folders directly in a folder; "" is the root. */
export function foldersIn(files: readonly SourceFile[], folder: string): string[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  const names = files
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path }) => path.slice(prefix.length).split("/"))
    .filter((parts) => parts.length > 1)
    .map(([name = ""]) => name);
  return [...new Set(names)].filter((name) => !name.startsWith(".")).sort();
}

/** The tree in docs/architecture.md must name every subfolder of these. */
const COMPLETE = ["", "portal/src", "server/src"];

/** Returns the paths in the first code block after "The tree". */
function treePaths(page: string): string[] {
  const block = /^## The tree\n+```\n([\s\S]*?)^```/m.exec(page)?.[1] ?? "";
  const parents: { indent: number; path: string }[] = [];
  return [...block.matchAll(/^( *)([\w./-]+)\/(?:\s|$)/gm)].map(([, { length: indent } = "", name = ""]) => {
    while (parents.length > 0 && (parents.at(-1)?.indent ?? 0) >= indent) parents.pop();
    const path = [parents.at(-1)?.path, name].filter((part) => part !== undefined).join("/");
    parents.push({ indent, path });
    return path;
  });
}

const folderTree: Rule = {
  name: "folder-tree",
  check: (files) => {
    const page = textOf(files, "docs/architecture.md");
    if (page === undefined) return [];
    const named = treePaths(page);
    const missing = COMPLETE.flatMap((folder) => foldersIn(files, folder).map((name) => `${folder}/${name}`)).map(
      (path) => path.replace(/^\//, ""),
    );
    return [
      ...missing
        .filter((path) => !named.some((known) => known === path || known.startsWith(`${path}/`)))
        .map((path) => `docs/architecture.md: its tree lacks ${path}/`),
      ...named
        .filter((path) => !files.some((file) => file.path.startsWith(`${path}/`)))
        .map((path) => `docs/architecture.md: its tree names ${path}/, which is not there`),
    ];
  },
};

/** The README's table of commands must have exactly the commands of the product. */
const commandTable: Rule = {
  name: "command-table",
  check: (files) => {
    const page = textOf(files, "README.md");
    if (page === undefined) return [];
    const table = /^\| command[^]*?\n\n/m.exec(page)?.[0] ?? "";
    const named = [...table.matchAll(/^\| `([\w-]+)[^`]*`/gm)].map(([, name = ""]) => name);
    const known = COMMANDS.map(({ name }) => name);
    return [
      ...known.filter((name) => !named.includes(name)).map((name) => `README.md: the command ${name} is missing`),
      ...named
        .filter((name) => !known.includes(name))
        .map((name) => `README.md: ${name} is not a command of app/commands/index.ts`),
    ];
  },
};

/** For each feature that the README calls "not yet": the sign in the sources that shows that it works. */
const NOT_YET: Readonly<Record<string, (file: SourceFile) => boolean>> = {
  "telemetry spread over several servers": ({ path, text }) =>
    path.startsWith("server/src/stores/telemetry/") && /from "#stores\/objects\//.test(text),
};

/** A feature that works must not be in the README's "not yet". */
const notYet: Rule = {
  name: "not-yet",
  check: (files) => {
    const page = textOf(files, "README.md");
    if (page === undefined) return [];
    const sentence = /^Not yet: ([^]*?)\.\n/m.exec(page)?.[1] ?? "";
    const named = sentence === "" ? [] : sentence.split(/;\s+/).map((part) => part.replaceAll(/\s+/g, " "));
    return [
      ...named
        .filter((feature) => NOT_YET[feature] === undefined)
        .map((feature) => `README.md: "${feature}" has no sign in NOT_YET of tools/tidy/doc-lists.ts`),
      ...Object.entries(NOT_YET).flatMap(([feature, isThere]) => {
        if (files.some(isThere)) return [`README.md: "${feature}" works; remove it, here and from NOT_YET`];
        return named.includes(feature) ? [] : [`README.md: "${feature}" is missing in "Not yet"`];
      }),
    ];
  },
};

export const DOC_LIST_RULES: readonly Rule[] = [folderTree, commandTable, notYet];
