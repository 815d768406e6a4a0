import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { projectByName } from "#domain/projects/index.ts";
import { isoFromMs, systemClock } from "#kernel/time.ts";
import {
  CommandError,
  command,
  configOf,
  countOption,
  LOCAL_OPTIONS,
  noMore,
  requiredOption,
  shownSecret,
  textOption,
  textsOption,
  UsageError,
  type Option,
  type Parsed,
} from "./command.ts";
import { connect, CONNECTION_OPTIONS } from "./connection.ts";
import { rangesOf } from "./ranges.ts";
import { RESOURCE_OPTIONS } from "./resources.ts";
import { savedIn } from "./saving.ts";
import { listOrganizations } from "./store.ts";
import { presentAddresses, withIdentity } from "./stores.ts";

const USAGE = `
Usage: mooring ingest-key create --name NAME [--project PROJECT] [options]

Creates a key that only sends telemetry. A program sends the key itself with each request, as Authorization: Bearer, as the password of Basic,
or as X-Api-Key. It is shown once. --save writes the key alone to a new file that only you can read.

With --data-dir or --config it works on the server's machine, without a login; --org is then required.

  mooring ingest-key create --org acme --project web --name collector
  mooring ingest-key create --project web --name page --origin https://app.example.com --requests-per-second 20
  mooring ingest-key create --name agents --service checkout --allow-from 192.0.2.0/24 --save key.txt
  mooring ingest-key create --data-dir /var/lib/mooring --org acme --project web --name collector --json
`;

const OPTIONS: readonly Option[] = [
  { name: "name", value: "NAME", description: "name of the new key" },
  { name: "project", value: "PROJECT", description: "project of its rows (id or slug); default: the organization" },
  { ...RESOURCE_OPTIONS.services, description: "send only telemetry of this service; repeatable" },
  {
    name: "allow-from",
    value: "RANGE",
    multiple: true,
    description: "address or CIDR range from which it may be used; repeatable, or separated by commas (default: all)",
  },
  {
    name: "origin",
    value: "ORIGIN",
    multiple: true,
    description: "origin of web pages that may use it, such as https://*.example.com; repeatable",
  },
  { name: "requests-per-second", value: "N", description: "the most requests on each node (default: no own limit)" },
  { name: "expires-days", value: "N", description: "days until it expires (default: never, or as the policy says)" },
  { name: "save", value: "FILE", description: "write the key to this file instead of showing it" },
  { name: "json", description: "print the new key as JSON" },
  ...CONNECTION_OPTIONS,
  ...LOCAL_OPTIONS,
];

const DAY_MS = 86_400_000;

/** The members of the API's answer that both ways have. */
interface MadeKey {
  readonly id: string;
  readonly name: string;
  readonly project_id: string | null;
  readonly expires_at: string | null;
  readonly pending: boolean;
  readonly key: string | null;
}

export const ingestKey = command(USAGE, OPTIONS, async (parsed) => {
  const [action, ...rest] = parsed.positionals;
  if (action !== "create") throw new UsageError("name a subcommand: create");
  noMore(rest);
  requiredOption(parsed, "name");
  const isLocal = textOption(parsed, "data-dir") !== undefined || textOption(parsed, "config") !== undefined;
  const make = (): Promise<MadeKey> => (isLocal ? madeHere(parsed) : madeByServer(parsed));
  const file = textOption(parsed, "save");
  if (file === undefined) return void process.stdout.write(textOf(parsed, await make()));
  const made = await savedIn(file, false, { make, contentOf: (key) => `${secretOf(key)}\n` });
  process.stdout.write(`${made.id} saved in ${file}\n`);
});

function limitsOf(parsed: Parsed) {
  const services = [...textsOption(parsed, "service")];
  const origins = [...textsOption(parsed, "origin")];
  const days = countOption(parsed, "expires-days", { minimum: 1, maximum: 36_500 });
  return {
    name: requiredOption(parsed, "name"),
    services: services.length === 0 ? undefined : { services },
    addresses: rangesOf(parsed),
    origins: origins.length === 0 ? undefined : origins,
    rate: countOption(parsed, "requests-per-second", { minimum: 1, maximum: 100_000 }),
    expiresAtMs: days === undefined ? undefined : systemClock.nowMs() + days * DAY_MS,
  };
}

async function madeByServer(parsed: Parsed): Promise<MadeKey> {
  const { name, services, addresses, origins, rate, expiresAtMs } = limitsOf(parsed);
  const body = {
    name,
    project: textOption(parsed, "project"),
    resources: services,
    allowed_addresses: addresses,
    origins,
    requests_per_second: rate,
    expires_at: expiresAtMs === undefined ? undefined : isoFromMs(expiresAtMs),
  };
  const client = await connect(parsed, systemClock);
  return client.call(ORGANIZATION_ROUTES.createIngestKey, { body, purpose: "create the ingest key" });
}

/** Creates the key in the records of this machine. The command line is responsible for it. */
async function madeHere(parsed: Parsed): Promise<MadeKey> {
  const org = requiredOption(parsed, "org");
  const project = textOption(parsed, "project");
  const { name, services, addresses, origins, rate, expiresAtMs } = limitsOf(parsed);
  const config = configOf(parsed);
  return withIdentity(config, await presentAddresses(config), async (identity, metadata) => {
    const organization = (await listOrganizations(metadata.read)).find(({ slug }) => slug === org);
    if (organization === undefined) throw new CommandError(`cannot create the key: there is no organization ${org}`);
    const { id: orgId } = organization;
    const found = project === undefined ? null : await projectByName(metadata.read, orgId, project);
    if (found === undefined) throw new CommandError(`cannot create the key: ${org} has no project ${project}`);
    const input = { name, projectId: found?.id ?? null, resources: services, allowedAddresses: addresses };
    const made = await identity.ingestKeys.create(
      { actor: { kind: "system", id: "command-line", orgId } },
      { ...input, origins, requestsPerSecond: rate, expiresAtMs },
    );
    const { id, projectId, isPending: pending, expiresAtMs: endsAtMs } = made.credential;
    const expires_at = endsAtMs === null ? null : isoFromMs(endsAtMs);
    return { id, name, project_id: projectId, expires_at, pending, key: made.clientSecret };
  });
}

function textOf(parsed: Parsed, made: MadeKey): string {
  if (parsed.values["json"] === true) return `${JSON.stringify(made, null, 2)}\n`;
  const state = made.pending ? "state    waits for an approval by an owner or admin in the portal\n" : "";
  return `id       ${made.id}\nkey      ${secretOf(made)}\nexpires  ${made.expires_at ?? "never"}\n${state}\nThe key is not shown again.\n`;
}

function secretOf({ id, key }: MadeKey): string {
  return shownSecret(key, { made: id, mend: `rotate it with mooring ingest-key rotate ${id}` });
}
