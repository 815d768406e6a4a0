import type { Client } from "@mooring/client";
import { ORGANIZATION_ROUTES, SCOPES, type ResultOf, type Scope } from "@mooring/contract";
import { isoFromMs, systemClock } from "#kernel/time.ts";
import {
  CommandError,
  choicesOption,
  command,
  countOption,
  noMore,
  requiredOption,
  shownSecret,
  textOption,
  UsageError,
  type Option,
  type Parsed,
} from "./command.ts";
import { connect, CONNECTION_OPTIONS } from "./connection.ts";
import { rangesOf } from "./ranges.ts";
import { isEffects, printEffects, REVOCATION_OPTIONS, revocationOf } from "./effects.ts";
import { RESOURCE_OPTIONS, resourcesOf, resourcesText } from "./resources.ts";
import { savedIn } from "./saving.ts";
import { textTable } from "./table.ts";

const USAGE = `
Usage: mooring credential create --name NAME --scope SCOPE… [options]
       mooring credential list
       mooring credential rotate CREDENTIAL [--overlap-seconds N]
       mooring credential revoke CREDENTIAL [--orphans adopt|revoke] [--reason leak] [--dry-run]

CREDENTIAL is an identifier (cred_…) or a client id (mrc_…). create and rotate show a secret once. --save writes it to a file that only
you can read, in the format of --credentials: create needs a new file, rotate may replace one. revoke also ends all issued tokens, and the
credentials for which it is responsible; --dry-run lists them.

--repository, --bucket, --webhook and --service limit it to these resources, and scopes without such resources are refused. mooring credential
update changes the limit later.

  mooring credential create --name shipper --scope telemetry:write --service checkout --save shipper.json
  mooring credential create --name ci --scope registry:pull,registry:push --repository shop --expires-days 90
  mooring credential create --name app --scope s3:read,s3:write --bucket shop/uploads/
  mooring credential create --name backup --scope files:read --allow-from 192.0.2.0/24,2001:db8::/32
  mooring credential rotate mrc_01k… --overlap-seconds 0
  mooring credential revoke mrc_01k… --reason leak --dry-run

Scopes: ${SCOPES.join(" ")}
`;

const OPTIONS: readonly Option[] = [
  { name: "name", value: "NAME", description: "name of the new credential" },
  { name: "scope", value: "SCOPE", multiple: true, description: "permission; repeatable, or separated by commas" },
  { name: "project", value: "PROJECT", description: "reach this project only (id or slug)" },
  ...Object.values(RESOURCE_OPTIONS),
  { name: "expires-days", value: "N", description: "days until it expires (default: never, or as the policy says)" },
  {
    name: "allow-from",
    value: "RANGE",
    multiple: true,
    description: "address or CIDR range from which it may be used; repeatable, or separated by commas (default: all)",
  },
  { name: "overlap-seconds", value: "N", description: "seconds for which the old secret still works (default 86400)" },
  {
    name: "save",
    value: "FILE",
    description: "write id, secret and addresses to this file instead of showing the secret",
  },
  ...REVOCATION_OPTIONS,
  { name: "json", description: "print the server's answer as JSON" },
  ...CONNECTION_OPTIONS,
];

const DAY_MS = 86_400_000;

const ROWS = ORGANIZATION_ROUTES;

type NewCredential = ResultOf<typeof ROWS.createCredential>;
type Credential = ResultOf<typeof ROWS.getCredential>;

type Action = (client: Client, parsed: Parsed, target: string | undefined) => Promise<void>;

export const credential = command(USAGE, OPTIONS, async (parsed) => {
  const [name = "", target, ...rest] = parsed.positionals;
  const action = ACTIONS[name];
  if (action === undefined) throw new UsageError("name a subcommand: create, list, rotate or revoke");
  noMore(rest);
  await action(await connect(parsed, systemClock), parsed, target);
});

const ACTIONS: Readonly<Record<string, Action>> = {
  create: async (client, parsed) => {
    const days = countOption(parsed, "expires-days", { minimum: 1, maximum: 36_500 });
    const body = {
      name: requiredOption(parsed, "name"),
      scopes: scopesOf(parsed),
      project: textOption(parsed, "project"),
      expires_at: days === undefined ? undefined : isoFromMs(systemClock.nowMs() + days * DAY_MS),
      allowed_addresses: rangesOf(parsed),
      resources: resourcesOf(parsed),
    };
    await withSecret(client, parsed, false, () =>
      client.call(ROWS.createCredential, { body, purpose: "create the credential" }),
    );
  },
  list: async (client, parsed) => {
    const items = await listed(client);
    if (parsed.values["json"] === true) return void process.stdout.write(`${JSON.stringify(items, null, 2)}\n`);
    const names = ["id", "client_id", "name", "status", "last_used_at", "scopes", "limited_to"];
    const rows = items.map((item) => ({
      ...item,
      status: statusOf(item),
      scopes: scopesText(item.scopes),
      limited_to: resourcesText(item.resources),
    }));
    process.stdout.write(textTable(names, rows));
  },
  rotate: async (client, parsed, target) => {
    const overlap = countOption(parsed, "overlap-seconds", { minimum: 0, maximum: 30 * 86_400 });
    const params = { credential_id: await idOf(client, target) };
    const body = { overlap_seconds: overlap };
    await withSecret(client, parsed, true, () =>
      client.call(ROWS.rotateCredential, { params, body, purpose: "rotate the secret" }),
    );
  },
  revoke: async (client, parsed, target) => {
    const params = { credential_id: await idOf(client, target) };
    const input = { params, ...revocationOf(parsed), purpose: "revoke the credential" };
    const answer = await client.call(ROWS.revokeCredential, input);
    if (isEffects(answer)) return printEffects(answer, parsed.values["json"] === true);
    if (parsed.values["json"] === true) return void process.stdout.write(`${JSON.stringify(answer)}\n`);
    const reach = answer.propagated
      ? "every node refuses its tokens"
      : "a node has not answered yet; it refuses the tokens as soon as it can";
    process.stdout.write(`revoked at ${answer.revoked_at}; ${reach}\n`);
  },
};

function scopesOf(parsed: Parsed): Scope[] {
  const scopes = choicesOption(parsed, "scope", SCOPES);
  if (scopes.length === 0) throw new UsageError("--scope is missing; name only the scopes that the work needs");
  return scopes;
}

function listed(client: Client): Promise<Credential[]> {
  return Array.fromAsync(client.items(ROWS.listCredentials, { purpose: "list the credentials" }));
}

/** Returns the identifier that the API needs. People usually have the client id. */
async function idOf(client: Client, target: string | undefined): Promise<string> {
  if (target === undefined) throw new UsageError("name the credential by its id (cred_…) or client id (mrc_…)");
  if (!target.startsWith("mrc_")) return target;
  const found = (await listed(client)).find((item) => item.client_id === target);
  if (found === undefined)
    throw new CommandError(`cannot find the credential: your credential can see none with the client id ${target}`);
  return found.id;
}

/** Runs an action that creates a secret, and shows or saves it. */
async function withSecret(
  client: Client,
  parsed: Parsed,
  replaces: boolean,
  make: () => Promise<NewCredential>,
): Promise<void> {
  const file = textOption(parsed, "save");
  if (file === undefined) return void process.stdout.write(secretText(parsed, await make()));
  const contentOf = (made: NewCredential): string => {
    const credential = { client_id: made.client_id, client_secret: secretOf(made) };
    return `${JSON.stringify({ addresses: client.addresses, credential }, null, 2)}\n`;
  };
  const { id, client_id } = await savedIn(file, replaces, { make, contentOf });
  process.stdout.write(`${client_id} (${id}) saved in ${file}\n`);
}

function secretText(parsed: Parsed, made: NewCredential): string {
  if (parsed.values["json"] === true) return `${JSON.stringify(made, null, 2)}\n`;
  const rows: readonly (readonly [name: string, value: string])[] = [
    ["id", made.id],
    ["client id", made.client_id],
    ["client secret", secretOf(made)],
    ["scopes", scopesText(made.scopes)],
    ["expires", made.expires_at ?? "never"],
    ["limited to", resourcesText(made.resources)],
    ["used from", made.allowed_addresses?.join(" ") ?? "anywhere"],
    ...(made.pending ? [["state", "waits for an approval by an owner or admin in the portal"] as const] : []),
  ];
  return `${rows.map(([name, value]) => `${name.padEnd(15)}${value}\n`).join("")}\nThe secret is not shown again.\n`;
}

function secretOf({ client_id: clientId, client_secret: secret }: NewCredential): string {
  return shownSecret(secret, { made: clientId, mend: `rotate it with mooring credential rotate ${clientId}` });
}

function statusOf(item: Credential): string {
  if (item.revoked_at !== null) return "revoked";
  if (item.pending) return "pending";
  return item.expires_at !== null && Date.parse(item.expires_at) <= systemClock.nowMs() ? "expired" : "live";
}

function scopesText(scopes: readonly string[]): string {
  return scopes.length === SCOPES.length ? "all" : scopes.join(" ");
}
