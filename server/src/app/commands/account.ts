import {
  countUnverified,
  createOperatorLink,
  endOpenLinks,
  endSessionsOf,
  listAccounts,
  NOWHERE,
  resetUrl,
} from "#domain/accounts/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs, systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import {
  CommandError,
  LOCAL_OPTIONS,
  command,
  configOf,
  noMore,
  UsageError,
  type Option,
  type Parsed,
} from "./command.ts";
import { presentAddresses, withMetadata } from "./stores.ts";
import { tableText } from "./table.ts";

const USAGE = `
Usage: mooring account reset EMAIL [--clear-second-factor] [--json]
       mooring account list [--unverified] [--json]
       mooring account end-sessions EMAIL [--json]
       mooring account end-links [--json]

For the operator, on the server's machine, with or without a running server.

reset creates a one-time link with which the person sets a new password. It works for an hour. Give it to the person so that nobody else
sees it. Using it ends every session of the person. An authenticator app stays required; --clear-second-factor removes it and the recovery
codes. If the address was unverified, every older way to sign in ends: make sure that you give the link to the right person.

list shows the accounts; with --unverified only those with an unverified address.

end-sessions ends all sessions of a person, and their logins of the command line, in every organization: use it after a leak.

end-links ends every open set-up link, reset link and invitation. Use it after you restored records in PostgreSQL from a dump;
mooring restore does it for you.

  mooring account reset ada@example.com --data-dir ./data
  mooring account list --unverified --json

With --json reset prints {"reset_url", "expires_at"}, list prints a list, the others print the counts.
`;

const OPTIONS: readonly Option[] = [
  { name: "clear-second-factor", description: "reset: also remove the authenticator app and recovery codes" },
  { name: "unverified", description: "list: only accounts with an unverified address" },
  { name: "json", description: "print JSON" },
  ...LOCAL_OPTIONS,
];

const PAGE = 500;
const WIDTH = 160;
const COLUMNS = ["e-mail", "verified", "last seen", "organizations"].map((name) => ({ name, type: "VARCHAR" }));

export const account = command(USAGE, OPTIONS, async (parsed) => {
  const [action, email, ...rest] = parsed.positionals;
  if (action === "reset" || action === "end-sessions") {
    if (email === undefined || rest.length > 0) throw new UsageError("name one account by its e-mail address");
    return action === "reset" ? reset(parsed, email) : endSessions(parsed, email);
  }
  if (action !== "list" && action !== "end-links")
    throw new UsageError("name a subcommand: reset, list, end-sessions or end-links");
  if (email !== undefined) noMore([email]);
  return withMetadata(configOf(parsed), (metadata) =>
    action === "list" ? list(parsed, metadata) : endLinks(parsed, metadata),
  );
});

async function reset(parsed: Parsed, email: string): Promise<void> {
  const config = configOf(parsed);
  const { portal_url: portalUrl } = await presentAddresses(config);
  const { token, expiresAtMs } = await withMetadata(config, (metadata) =>
    createOperatorLink(
      { metadata, clock: systemClock },
      { email },
      {
        clearsSecondFactor: parsed.values["clear-second-factor"] === true,
        actor: { kind: "system", id: null },
        origin: NOWHERE,
      },
    ),
  ).catch((error: unknown) => {
    if (error instanceof Problem) throw new CommandError(`cannot create a link: nobody has the address ${email}`);
    throw error;
  });
  const [url, expiresAt] = [resetUrl(portalUrl, token), isoFromMs(expiresAtMs)];
  print(
    parsed,
    { reset_url: url, expires_at: expiresAt },
    `link     ${url}\nexpires  ${expiresAt}\n\nIt works once. Give it to the person so that nobody else sees it.`,
  );
}

async function endSessions(parsed: Parsed, email: string): Promise<void> {
  const act = { actor: { kind: "system", id: null }, origin: NOWHERE } as const;
  const ended = await withMetadata(configOf(parsed), (metadata) =>
    endSessionsOf({ metadata, clock: systemClock }, email, act),
  ).catch((error: unknown) => {
    if (error instanceof Problem) throw new CommandError(`cannot end sessions: nobody has the address ${email}`);
    throw error;
  });
  print(parsed, ended, `ended ${ended.sessions} sessions and ${ended.logins} logins of ${email}`);
}

async function list(parsed: Parsed, metadata: MetadataStore): Promise<void> {
  const unverified = parsed.values["unverified"] === true;
  const all = [];
  let after: string | undefined;
  do {
    const page = await listAccounts(metadata.read, { unverified, after, limit: PAGE });
    all.push(...page.accounts);
    after = page.next ?? undefined;
  } while (after !== undefined);
  const rows = all.map((row) => ({
    email: row.email,
    name: row.name,
    verified_at: row.verified_at === null ? null : isoFromMs(row.verified_at),
    last_seen_at: row.last_seen_at === null ? null : isoFromMs(row.last_seen_at),
    second_factor: row.has_second_factor,
    organizations: [...row.organizations],
  }));
  const lines = rows.map((row) => ({
    "e-mail": row.email,
    verified: row.verified_at ?? "unverified",
    "last seen": row.last_seen_at ?? "never",
    organizations: row.organizations.join(" "),
  }));
  const count = await countUnverified(metadata.read);
  const foot = `${count} of all accounts have an unverified address.`;
  print(parsed, rows, `${tableText(COLUMNS, lines, process.stdout.columns ?? WIDTH)}${foot}`);
}

async function endLinks(parsed: Parsed, metadata: MetadataStore): Promise<void> {
  const ended = await endOpenLinks({ metadata, clock: systemClock });
  const lines = Object.entries(ended).map(([kind, count]) => `${kind.replaceAll("_", " ").padEnd(12)} ${count}`);
  print(parsed, ended, lines.join("\n"));
}

function print(parsed: Parsed, json: unknown, text: string): void {
  process.stdout.write(`${parsed.values["json"] === true ? JSON.stringify(json) : text}\n`);
}
