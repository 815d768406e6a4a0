import type { Client } from "@mooring/client";
import { ORGANIZATION_ROUTES, S3_KEY_SCOPES, type ResultOf } from "@mooring/contract";
import { isoFromMs, systemClock } from "#kernel/time.ts";
import {
  choicesOption,
  command,
  countOption,
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
import { isEffects, printEffects, REVOCATION_OPTIONS, revocationOf } from "./effects.ts";
import { bucketOf, RESOURCE_OPTIONS, resourcesText, type ResourceBody } from "./resources.ts";
import { textTable } from "./table.ts";

const USAGE = `
Usage: mooring s3 keys create --name NAME [options]
       mooring s3 keys list
       mooring s3 keys rotate KEY [--overlap-seconds N]
       mooring s3 keys revoke KEY [--reason leak] [--dry-run]

Keys of the S3 gateway. KEY is an access key ID or an identifier (key_…). create and rotate show the secret once. rotate gives a key a new
access key ID and secret; the old ones work until the overlap ends. Requests that a revoked key signs are refused.

  mooring s3 keys create --name backup --bucket backups/laptop/
  mooring s3 keys create --name app --bucket shop/uploads/ --bucket reports/2026/
  mooring s3 keys create --name reports --project web --read-only --expires-days 90
  mooring s3 keys rotate MOORABCDEFGHIJKLMNOP --overlap-seconds 3600
  mooring s3 keys revoke MOORABCDEFGHIJKLMNOP

Scopes: ${S3_KEY_SCOPES.join(" ")}
`;

const OPTIONS: readonly Option[] = [
  { name: "name", value: "NAME", description: "name of the new key" },
  { name: "project", value: "PROJECT", description: "reach this project only (id or slug)" },
  RESOURCE_OPTIONS.buckets,
  { name: "prefix", value: "PREFIX", description: "in all buckets, reach only object keys that begin with this" },
  { name: "read-only", description: "give the key only the scope s3:read" },
  { name: "scope", value: "SCOPE", multiple: true, description: "permission; repeatable (default: all that you have)" },
  { name: "expires-days", value: "N", description: "days until it expires (default: never, or as the policy says)" },
  { name: "overlap-seconds", value: "N", description: "seconds for which the old secret still works (default 86400)" },
  ...REVOCATION_OPTIONS.filter(({ name }) => name !== "orphans"),
  { name: "json", description: "print the server's answer as JSON" },
  ...CONNECTION_OPTIONS,
];

const DAY_MS = 86_400_000;

const ROWS = ORGANIZATION_ROUTES;

type Action = (client: Client, parsed: Parsed, target: string | undefined) => Promise<void>;

export const s3 = command(USAGE, OPTIONS, async (parsed) => {
  const [subject, name = "", target, ...rest] = parsed.positionals;
  const action = subject === "keys" ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError("name a subcommand: keys create, keys list, keys rotate or keys revoke");
  noMore(rest);
  await action(await connect(parsed, systemClock), parsed, target);
});

const ACTIONS: Readonly<Record<string, Action>> = {
  create: async (client, parsed) => {
    const days = countOption(parsed, "expires-days", { minimum: 1, maximum: 36_500 });
    const scopes = choicesOption(parsed, "scope", S3_KEY_SCOPES);
    const body = {
      name: requiredOption(parsed, "name"),
      project: textOption(parsed, "project"),
      ...reachOf(parsed),
      read_only: parsed.values["read-only"] === true ? true : undefined,
      scopes: scopes.length === 0 ? undefined : scopes,
      expires_at: days === undefined ? undefined : isoFromMs(systemClock.nowMs() + days * DAY_MS),
    };
    const made = await client.call(ROWS.createS3Key, { body, purpose: "create the access key" });
    process.stdout.write(
      parsed.values["json"] === true ? `${JSON.stringify(made, null, 2)}\n` : secretText(client, made),
    );
  },
  list: async (client, parsed) => {
    const items = await Array.fromAsync(client.items(ROWS.listS3Keys, { purpose: "list the access keys" }));
    if (parsed.values["json"] === true) return void process.stdout.write(`${JSON.stringify(items, null, 2)}\n`);
    const names = ["access_key_id", "name", "scopes", "buckets", "prefix", "expires_at", "last_used_at"];
    const rows = items.map((item) => ({
      ...item,
      scopes: item.effective_scopes.join(" "),
      buckets: item.resources === null ? (item.buckets?.join(" ") ?? "all") : resourcesText(item.resources),
    }));
    process.stdout.write(textTable(names, rows));
  },
  rotate: async (client, parsed, target) => {
    if (target === undefined) throw new UsageError("name the key by its access key ID or its id (key_…)");
    const overlap = countOption(parsed, "overlap-seconds", { minimum: 0, maximum: 30 * 86_400 });
    const made = await client.call(ROWS.rotateS3Key, {
      params: { key_id: target },
      body: overlap === undefined ? {} : { overlap_seconds: overlap },
      purpose: "rotate the access key",
    });
    process.stdout.write(
      parsed.values["json"] === true ? `${JSON.stringify(made, null, 2)}\n` : secretText(client, made),
    );
  },
  revoke: async (client, parsed, target) => {
    if (target === undefined) throw new UsageError("name the key by its access key ID or its id (key_…)");
    const params = { key_id: target };
    const answer = await client.call(ROWS.revokeS3Key, {
      params,
      ...revocationOf(parsed),
      purpose: "revoke the access key",
    });
    if (isEffects(answer)) return printEffects(answer, parsed.values["json"] === true);
    const text = parsed.values["json"] === true ? JSON.stringify(answer) : `revoked at ${answer.revoked_at}`;
    process.stdout.write(`${text}\n`);
  },
};

/**
 * Returns the buckets of a new key. With a prefix after a name they are resources. Names alone can be those of buckets that
 * do not exist yet.
 * @throws UsageError
 */
function reachOf(parsed: Parsed): {
  readonly buckets?: string[] | undefined;
  readonly prefix?: string | undefined;
  readonly resources?: Pick<ResourceBody, "buckets">;
} {
  const names = [...textsOption(parsed, "bucket")];
  const prefix = textOption(parsed, "prefix");
  if (!names.some((name) => name.includes("/"))) return { buckets: names.length === 0 ? undefined : names, prefix };
  if (prefix !== undefined) throw new UsageError("write the prefix after the bucket, or as --prefix, not both");
  return { resources: { buckets: names.map(bucketOf) } };
}

function secretText(client: Client, made: ResultOf<typeof ROWS.createS3Key>): string {
  const { access_key_id: id } = made;
  const lost = { made: id, mend: `revoke it with mooring s3 keys revoke ${id}, and create another` };
  const rows = [
    ["access key id", made.access_key_id],
    ["secret access key", shownSecret(made.secret_access_key, lost)],
    ["endpoint", client.addresses.s3_endpoint],
    ["scopes", made.effective_scopes.join(" ")],
    ...(made.resources === null ? [] : [["limited to", resourcesText(made.resources)] as const]),
    ["expires", made.expires_at ?? "never"],
    ...(made.former === null ? [] : [["old id works until", made.former.expires_at] as const]),
  ] as const;
  return `${rows.map(([name, value]) => `${name.padEnd(20)}${value}\n`).join("")}\nThe secret is not shown again.\n`;
}
