import { API_COMMANDS, commandOf, PUBLIC_OPERATIONS, type ApiCommand } from "@mooring/contract";
import { examplesOf } from "../../server/src/app/commands/api/help.ts";
import { paramsOf, wordName } from "../../server/src/app/commands/api/request.ts";
import { COMMANDS } from "../../server/src/app/commands/index.ts";
import type { Generated } from "./generated-file.ts";

/** The verbs of each noun, for the start of the command line, which does not load the contract. */
export const commandNouns: Generated = {
  path: "server/src/app/commands/api/nouns.ts",
  render: () => {
    const lines = nouns().map(([noun, commands]) => {
      const name = /^[a-z]+$/.test(noun) ? noun : `"${noun}"`;
      return `  ${name}: ${JSON.stringify(commands.map(({ verb }) => verb).join(" "))}.split(" "),\n`;
    });
    return `/** Generated from the contract by \`npm run generate\`: the nouns of the API with their verbs. */\nexport const API_NOUNS: Readonly<Record<string, readonly string[]>> = {\n${lines.join("")}};\n`;
  },
};

/** Generates docs/reference/commands.md: every command. */
export const commandsPage: Generated = { path: "docs/reference/commands.md", render: renderCommands };

function nouns(): readonly (readonly [noun: string, commands: readonly ApiCommand[]])[] {
  return [...Map.groupBy(API_COMMANDS, ({ noun }) => noun)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const INTRODUCTION = `# Commands

\`mooring COMMAND --help\` describes a command with examples. [How to use the command line as yourself](../how-to/command-line.md) shows how to sign in.

**Needs** a running server, and a login or a credential for the operations of the API.

This page is generated from the contract and the commands by \`npm run generate\`.

## Commands written by hand

| command | what it does |
| --- | --- |
`;

const OPERATIONS = `
## Operations of the API

Every operation of the API is a command. The words after the verb are the parameters of its path. Members of the query and of the body are options; \`--input FILE\`, or \`--input -\`, reads
the body as JSON. Secrets are accepted in \`--input\` only, because other users of a machine can see command lines.

- On a terminal, lists are tables. In a pipe, each item is a line with tabs between the values. \`--json\` prints the server's answer.
- Lists stop at 100 items, or at \`--limit\`. \`--all\` prints every item as it arrives.
- Deletions ask for the name. In a script they need \`--yes\`.
- Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not permitted or not signed in, 4 the server can't be reached. Errors go to standard error, with the request's id.

| command | what it does | scope |
| --- | --- | --- |
`;

const BY_HAND = `
## Operations with a command written by hand

| operation | command |
| --- | --- |
`;

function renderCommands(): string {
  const written = COMMANDS.map(({ name, summary }) => `| \`mooring ${name}\` | ${summary} |\n`);
  const generated = nouns().flatMap(([, commands]) => commands.map(operationLine));
  const byHand = PUBLIC_OPERATIONS.map(commandOf)
    .filter(({ form }) => form.byHand === true)
    .map(({ row, form }) => `| ${row.summary.split(/[;:]/)[0]} | \`mooring ${form.name}\` |\n`);
  return INTRODUCTION + written.join("") + OPERATIONS + generated.join("") + BY_HAND + byHand.join("") + examples();
}

function operationLine({ row, noun, verb }: ApiCommand): string {
  const words = ["mooring", noun, verb, ...paramsOf(row).map(wordName)].join(" ");
  const scope = row.permission === "public" || row.permission === "authenticated" ? "" : `\`${row.permission}\``;
  return `| \`${words}\` | ${row.summary.split(/[;:]/)[0]?.replaceAll("|", "\\|")} | ${scope} |\n`;
}

function examples(): string {
  const lines = API_COMMANDS.filter(({ form }) => form.examples !== undefined).flatMap((one) => examplesOf(one));
  return `\n## Examples\n\n<!-- not run: the examples name objects that do not exist -->\n\n\`\`\`sh\n${lines.join("\n")}\n\`\`\`\n`;
}
