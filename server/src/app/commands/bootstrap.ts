import { S3_KEY_SCOPES, SCOPES, type Scope } from "@mooring/contract";
import { bootstrapOrganization, policyOf, setupUrl, SYSTEM, type Bootstrapped } from "#domain/organizations/index.ts";
import type { MadeS3Key } from "#domain/identity/index.ts";
import { createWebhook } from "#domain/webhooks/index.ts";
import { systemClock } from "#kernel/time.ts";
import type { Addresses } from "../addresses.ts";
import {
  LOCAL_OPTIONS,
  command,
  configOf,
  noMore,
  requiredOption,
  textOption,
  type Option,
  type Parsed,
} from "./command.ts";
import { presentAddresses, withIdentity } from "./stores.ts";

const USAGE = `
Usage: mooring bootstrap --org ORG --project PROJECT --app APP [--data-dir DIR] [--json]

Creates an organization, a project and an app, unless they exist. Each run also creates a credential with every scope, an S3 key
and a webhook of the project, because their secrets are shown once. Works with or without a running server on the same data directory.

  mooring bootstrap --data-dir ./data --org acme --project web --app shop
  (umask 077; mooring bootstrap --org acme --project web --app shop --json > credentials.json)
  mooring query --credentials credentials.json "SELECT count(*) FROM logs"

With --json one object is printed: {org, project, app, addresses, credential: {client_id, client_secret}, s3: {access_key_id,
secret_access_key, region, bucket}, webhook: {id, url}, owner: {email, setup_url}}.
setup_url is null once the owner has a password.
`;

const OPTIONS: readonly Option[] = [
  { name: "org", value: "SLUG", description: "organization" },
  { name: "project", value: "SLUG", description: "project" },
  { name: "app", value: "SLUG", description: "app" },
  {
    name: "owner-email",
    value: "E-MAIL",
    description: "owner of the organization (default: the current owner, or owner@ORG.localhost)",
  },
  { name: "json", description: "print one JSON object" },
  ...LOCAL_OPTIONS,
];

/** The output of `--json`. */
interface BootstrapOutput {
  readonly org: Named;
  readonly project: Named;
  readonly app: Named;
  readonly addresses: Addresses;
  readonly credential: { readonly client_id: string; readonly client_secret: string };
  readonly s3: {
    readonly access_key_id: string;
    readonly secret_access_key: string;
    readonly region: string;
    readonly bucket: string;
  } | null;
  /** Its address is a secret. */
  readonly webhook: { readonly id: string; readonly url: string };
  readonly owner: { readonly email: string; readonly setup_url: string | null };
}

interface Named {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

export const bootstrap = command(USAGE, OPTIONS, async (parsed) => {
  noMore(parsed.positionals);
  const output = await run(parsed);
  process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(output)}\n` : readable(output));
});

async function run(parsed: Parsed): Promise<BootstrapOutput> {
  const input = {
    org: requiredOption(parsed, "org"),
    project: requiredOption(parsed, "project"),
    app: requiredOption(parsed, "app"),
    ownerEmail: textOption(parsed, "owner-email"),
  };
  const config = configOf(parsed);
  const addresses = await presentAddresses(config);
  return withIdentity(
    config,
    addresses,
    async (identity, metadata) => {
      const made = await bootstrapOrganization({ metadata, clock: systemClock }, input);
      // Every scope that the organization's policy allows.
      const { allowed_scopes: allowed } = policyOf(made.organization);
      const isAllowed = (scope: Scope): boolean => allowed?.includes(scope) ?? true;
      const acting = { actor: { kind: "system", id: "command-line", orgId: made.organization.id } } as const;
      const fixed = { projectId: null, name: "bootstrap" };
      const scopes = SCOPES.filter(isAllowed);
      const { credential, clientSecret } = await identity.credentials.create(acting, { ...fixed, scopes });
      const s3 = S3_KEY_SCOPES.some(isAllowed) ? await identity.s3Keys.create(acting, fixed) : null;
      const hookDeps = { metadata, clock: systemClock, envelope: identity.envelope };
      const { webhook, token } = await createWebhook(hookDeps, SYSTEM, made.project, { name: "bootstrap" });
      return {
        org: named(made.organization),
        project: named(made.project),
        app: named(made.app),
        addresses,
        credential: { client_id: credential.clientId, client_secret: clientSecret },
        s3: s3 === null ? null : { ...keyOf(s3), region: config.s3_region, bucket: made.app.slug },
        webhook: { id: webhook.id, url: `${addresses.webhooks_url}/hooks/${token}` },
        owner: ownerOf(made, addresses),
      };
    },
    "create",
  );
}

function ownerOf({ owner, setupToken }: Bootstrapped, addresses: Addresses): BootstrapOutput["owner"] {
  return { email: owner.email, setup_url: setupToken === null ? null : setupUrl(addresses.portal_url, setupToken) };
}

function keyOf({ key, secret }: MadeS3Key) {
  return { access_key_id: key.accessKeyId, secret_access_key: secret };
}

function named({ id, slug, name }: Named): Named {
  return { id, slug, name };
}

function readable(output: BootstrapOutput): string {
  const { org, project, app, addresses, credential, s3, webhook, owner } = output;
  const rows: [string, string][] = [
    ["organization", `${org.slug} (${org.id})`],
    ["project", `${project.slug} (${project.id})`],
    ["app", `${app.slug} (${app.id})`],
    ["client id", credential.client_id],
    ["client secret", `${credential.client_secret}  (not shown again)`],
    ...(s3 === null ? [] : keyRows(s3)),
    ["webhook", `${webhook.url}  (${webhook.id})`],
    ["owner", owner.email],
    ...(owner.setup_url === null ? [] : [["set up by", owner.setup_url] satisfies [string, string]]),
    ...Object.entries(addresses)
      .filter(([, address]) => address !== null)
      .map(([name, address]): [string, string] => [name, String(address)]),
  ];
  return `${rows.map(([name, value]) => `${name.padEnd(20)}${value}`).join("\n")}\n`;
}

function keyRows(s3: NonNullable<BootstrapOutput["s3"]>): [string, string][] {
  return [
    ["access key id", s3.access_key_id],
    ["secret access key", `${s3.secret_access_key}  (not shown again)`],
    ["bucket", `${s3.bucket} (region ${s3.region})`],
  ];
}
