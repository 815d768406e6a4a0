import { systemClock } from "#kernel/time.ts";
import {
  command,
  countOption,
  ExitCode,
  noMore,
  textOption,
  UsageError,
  type Option,
  type Parsed,
} from "../command.ts";
import { connect, CONNECTION_OPTIONS } from "../connection.ts";
import { untilInterrupt } from "../interrupt.ts";
import { printable } from "../printable.ts";
import { getFile } from "./get.ts";
import { listAll, listText } from "./list.ts";
import { putFile } from "./put.ts";
import { createRemote, type FilesClient } from "./remote.ts";

const USAGE = `
Usage: mooring files put FILE|- [--name NAME] [--type TYPE] [--project PROJECT]
       mooring files get FILE_ID [--output FILE|-]
       mooring files ls [--prefix PREFIX] [--project PROJECT] [--limit N]
       mooring files rm [--permanent] FILE_ID…
       mooring files restore FILE_ID…

Uploads, downloads, lists and deletes files. put uploads a file, or standard input, and compares the SHA-256 of the stored content. get
writes to the current directory, under a safe form of the file's name, and never replaces a file; with --output it writes to that file, or to
standard output. A broken transfer leaves no file. rm moves files to the trash, and restore brings them back for some days; with
--permanent they are deleted at once.

  mooring files put report.pdf
  pg_dump shop | mooring files put - --name shop.sql --type application/sql
  mooring files ls --prefix shop
  mooring files get file_01k… --output - | psql shop

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not permitted, 4 can't reach the server.
`;

const OPTIONS: readonly Option[] = [
  { name: "name", value: "NAME", description: "name of the stored file (default: the local name)" },
  {
    name: "type",
    value: "TYPE",
    description: "its media type (default: by the file extension, else application/octet-stream)",
  },
  {
    name: "project",
    value: "PROJECT",
    description: "id or slug of the project (default: none, the file belongs to the organization)",
  },
  { name: "output", value: "FILE", description: "file for the content; - for standard output" },
  { name: "prefix", value: "PREFIX", description: "list only files whose names begin with this" },
  { name: "limit", value: "N", description: "the most files to list (default 1000)" },
  { name: "permanent", description: "delete for good, without the trash" },
  { name: "json", description: "print JSON" },
  ...CONNECTION_OPTIONS,
];

const LIST_DEFAULT = 1000;
const LIST_MAX = 1_000_000;

/** Runs one subcommand. Resolves with its output. */
type Action = (remote: FilesClient, parsed: Parsed, operands: readonly string[]) => Promise<string>;

const ACTIONS: Readonly<Record<string, Action>> = {
  put: async (remote, parsed, operands) => {
    const file = await putFile(remote, {
      path: onlyOne(operands, "name a file, or - for standard input"),
      name: textOption(parsed, "name"),
      type: textOption(parsed, "type"),
      project: textOption(parsed, "project"),
    });
    return shown(parsed, file, `${file.id}  ${printable(file.filename)}  ${file.size_bytes} bytes\n`);
  },
  get: async (remote, parsed, operands) => {
    const id = onlyOne(operands, "name a file by its id; mooring files ls lists them");
    const { path, facts } = await getFile(remote, id, textOption(parsed, "output"));
    if (path === null) return "";
    return shown(parsed, { path, ...facts }, `${printable(path)}  ${facts.size_bytes} bytes\n`);
  },
  ls: async (remote, parsed, operands) => {
    noMore(operands);
    const limit = countOption(parsed, "limit", { minimum: 1, maximum: LIST_MAX }) ?? LIST_DEFAULT;
    const [prefix, project] = [textOption(parsed, "prefix"), textOption(parsed, "project")];
    const list = await listAll(remote, { prefix, project, limit });
    return shown(parsed, list, listText(list));
  },
  rm: async (remote, parsed, operands) => {
    if (operands.length === 0) throw new UsageError("name files by their ids; mooring files ls lists them");
    const permanent = parsed.values["permanent"] === true;
    for (const id of operands) await remote.remove(id, { permanent });
    return shown(parsed, { deleted: operands }, "");
  },
  restore: async (remote, parsed, operands) => {
    if (operands.length === 0) throw new UsageError("name files by their ids");
    for (const id of operands) await remote.restore(id);
    return shown(parsed, { restored: operands }, "");
  },
};

export const files = command(USAGE, OPTIONS, async (parsed) => {
  const [word = "", ...operands] = parsed.positionals;
  const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
  if (action === undefined) throw new UsageError("name a subcommand: put, get, ls, rm or restore");
  const client = await connect(parsed, systemClock);
  return untilInterrupt(async (signal) => {
    process.stdout.write(await action(createRemote(client, signal), parsed, operands));
    return ExitCode.ok;
  });
});

function onlyOne(operands: readonly string[], missing: string): string {
  const [first, ...rest] = operands;
  if (first === undefined) throw new UsageError(missing);
  if (rest.length > 0) throw new UsageError(`name only one file; unexpected: ${rest.join(" ")}`);
  return first;
}

function shown(parsed: Parsed, value: object, text: string): string {
  return parsed.values["json"] === true ? `${JSON.stringify(value)}\n` : text;
}
