import { text as readAll } from "node:stream/consumers";
import type { Client } from "@mooring/client";
import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { systemClock } from "#kernel/time.ts";
import {
  command,
  countOption,
  ExitCode,
  noMore,
  requiredOption,
  textOption,
  UsageError,
  type Option,
  type Parsed,
} from "../command.ts";
import { connect, CONNECTION_OPTIONS } from "../connection.ts";
import { printable } from "../printable.ts";
import { textTable } from "../table.ts";
import { makerId, plannedItems, readPlan, writePlan, type LeakPlan } from "./plan.ts";
import { runPlan } from "./run.ts";

const USAGE = `
Usage: mooring leak find [--json]
       mooring leak revoke (--maker WHO | --project PROJECT | --all) --plan FILE
       mooring leak rotate (--maker WHO | --project PROJECT | --all) --plan FILE [--overlap-seconds N]
       mooring leak run FILE [--save DIRECTORY]

find reads a secret from standard input and shows whose it is, what it can do and when it was used. It accepts every kind of secret that the
server issues, also in a header field, a cookie or a link. It prints, stores and logs no secret.

revoke and rotate write a plan of credentials and S3 keys, and change nothing. Read it, and remove the lines that should stay. run carries it
out, and can be repeated after an interruption. Your own credential is the last. A rotation saves each new secret in a file of DIRECTORY
that only you can read; personal access tokens can only be revoked.

  mooring leak find < leaked.txt
  mooring leak revoke --maker ada@example.com --plan plan.json
  mooring leak rotate --project web --plan plan.json
  mooring leak run plan.json --save secrets

WHO is the id of a person or credential, or the address of a member: what they created, and that for which they are responsible.
`;

const OPTIONS: readonly Option[] = [
  { name: "maker", value: "WHO", description: "what this person or credential created or is responsible for" },
  { name: "project", value: "PROJECT", description: "the credentials and keys of this project (id or slug)" },
  { name: "all", description: "every credential and key that you can see" },
  { name: "plan", value: "FILE", description: "new file for the plan" },
  { name: "overlap-seconds", value: "N", description: "seconds for which old secrets still work (default 0)" },
  { name: "save", value: "DIRECTORY", description: "directory for the new secrets of a rotation" },
  { name: "json", description: "find: print the server's answer as JSON" },
  ...CONNECTION_OPTIONS,
];

const ROWS = ORGANIZATION_ROUTES;

export const leak = command(USAGE, OPTIONS, async (parsed) => {
  const [action, ...rest] = parsed.positionals;
  if (action === "run") {
    const [file, ...more] = rest;
    noMore(more);
    if (file === undefined) throw new UsageError("name the file of the plan");
    const plan = readPlan(file);
    return runPlan(await connect(parsed, systemClock), plan, textOption(parsed, "save"));
  }
  noMore(rest);
  if (action === "find") return find(await connect(parsed, systemClock), parsed);
  if (action === "revoke" || action === "rotate") return makePlan(parsed, action);
  throw new UsageError("name a subcommand: find, revoke, rotate or run");
});

/** The longest secret is an access token. A file of something else is not sent. */
const SECRET_CHARS_MAX = 8192;

async function find(client: Client, parsed: Parsed): Promise<number> {
  const secret = (await readAll(process.stdin)).trim();
  if (secret === "") throw new UsageError("standard input has no secret");
  if (secret.length > SECRET_CHARS_MAX) throw new UsageError("standard input is too long; give one secret");
  const answer = await client.call(ROWS.findLeak, { body: { secret }, purpose: "find the owner of the secret" });
  process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(answer, null, 2)}\n` : findingText(answer));
  return answer.owner === null ? ExitCode.failed : ExitCode.ok;
}

function findingText({ kind, owner }: ResultOf<typeof ROWS.findLeak>): string {
  const form = kind?.replaceAll("_", " ") ?? "no form that this server uses";
  if (owner === null)
    return `kind         ${form}\n\nIt is unknown here: it was deleted, belongs to another organization or server, or you may not see it.\n`;
  const { responsible } = owner;
  const rows: readonly (readonly [name: string, value: string])[] = [
    ["kind", form],
    ["id", owner.id],
    ["name", owner.name ?? ""],
    ["project", owner.project_id ?? "the whole organization"],
    ["responsible", responsible.name ?? responsible.id ?? responsible.kind],
    ["works", owner.is_live ? "yes" : `no, ${owner.reason ?? ""}`],
    ["can do", owner.scopes.join(" ")],
    ["created", owner.created_at ?? ""],
    ["expires", owner.expires_at ?? "never"],
    ["last used", [owner.last_used_at ?? "never", owner.last_used_ip ?? ""].join(" ").trim()],
  ];
  const lines = rows
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name.padEnd(13)}${printable(value)}\n`);
  const next = owner.next.map((line) => `  ${line}\n`);
  return lines.join("") + (next.length === 0 ? "" : `\nTo replace or end it:\n${next.join("")}`);
}

async function makePlan(parsed: Parsed, act: LeakPlan["act"]): Promise<number> {
  const file = requiredOption(parsed, "plan");
  const [maker, project] = [textOption(parsed, "maker"), textOption(parsed, "project")];
  const isAll = parsed.values["all"] === true;
  if ([maker !== undefined || project !== undefined, isAll].filter(Boolean).length !== 1)
    throw new UsageError("choose by --maker, --project or both, or --all");
  const overlapS = countOption(parsed, "overlap-seconds", { minimum: 0, maximum: 30 * 86_400 }) ?? 0;
  const client = await connect(parsed, systemClock);
  const selection = { maker: maker === undefined ? undefined : await makerId(client, maker), project };
  const found = await plannedItems(client, selection);
  const items = act === "rotate" ? found.filter(({ kind }) => kind !== "personal_token") : found;
  writePlan(file, { act, overlap_seconds: overlapS, items });
  const rows = items.map((item) => ({ ...item, last_used_at: item.last_used_at ?? "never" }));
  process.stdout.write(textTable(["kind", "id", "name", "state", "last_used_at", "created_by"], rows));
  process.stderr.write(
    `${items.length} in ${file}; nothing was changed. mooring leak run ${file}${act === "rotate" ? " --save DIRECTORY" : ""} does it\n`,
  );
  return ExitCode.ok;
}
