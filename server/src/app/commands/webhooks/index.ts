import { WEBHOOK_ROUTES, WEBHOOK_SENDERS, type WebhookSender } from "@mooring/contract";
import { systemClock } from "#kernel/time.ts";
import type { Client } from "@mooring/client";
import {
  choiceOption,
  command,
  noMore,
  requiredOption,
  textOption,
  UsageError,
  type Option,
  type Parsed,
} from "../command.ts";
import { connect, CONNECTION_OPTIONS } from "../connection.ts";
import { textTable } from "../table.ts";
import { readSecret } from "./input.ts";
import { listen } from "./listen.ts";

const SCHEMES = [...(Object.keys(WEBHOOK_SENDERS) as WebhookSender[]), "basic"] as const;
const GRACES: Readonly<Record<string, number>> = { now: 0, "1h": 3600, "24h": 86_400, "7d": 604_800 };

const USAGE = `
Usage: mooring webhooks create --name NAME --project PROJECT [--verify SCHEME [--secret-file FILE]]
       mooring webhooks senders [--json]
       mooring webhooks list [--project PROJECT]
       mooring webhooks rename WEBHOOK --name NAME
       mooring webhooks pause|resume|delete WEBHOOK
       mooring webhooks rotate WEBHOOK [--grace now|1h|24h|7d]
       mooring webhooks url WEBHOOK
       mooring webhooks events WEBHOOK
       mooring webhooks replay WEBHOOK EVENT
       mooring webhooks listen WEBHOOK [--forward URL]

Addresses that accept events, and the events. WEBHOOK is an identifier (hook_…). An address is a secret: everybody who knows it can send
events. rotate creates a new address; the old one ends at once, or after the grace period. url shows the current address, and the audit
log records it. listen prints events as they arrive, or forwards them with their headers to an address of this machine, until Ctrl-C.

  mooring webhooks create --name github --project web --verify github --secret-file secret.txt
  mooring webhooks rotate hook_… --grace 1h
  mooring webhooks listen hook_… --forward http://127.0.0.1:3000/webhooks

SCHEME is a sender or basic. senders lists the senders, and says where each has its secret.
`;

const OPTIONS: readonly Option[] = [
  { name: "name", value: "NAME", description: "name of the webhook" },
  { name: "project", value: "PROJECT", description: "project that it belongs to (id or slug)" },
  { name: "verify", value: "SCHEME", description: "refuse requests that can't be verified by this scheme" },
  { name: "secret-file", value: "FILE", description: "file with the verification secret, or - for standard input" },
  { name: "grace", value: "TIME", description: "how long the old address still works (default: now, not at all)" },
  { name: "forward", value: "URL", description: "address that events are forwarded to" },
  { name: "json", description: "print the server's answers as JSON" },
  ...CONNECTION_OPTIONS,
];

const ROWS = WEBHOOK_ROUTES;

type Action = (client: Client, parsed: Parsed, words: readonly string[]) => Promise<number | void>;

export const webhooks = command(USAGE, OPTIONS, async (parsed) => {
  const [name = "", ...words] = parsed.positionals;
  if (name === "senders") return listSenders(parsed, words);
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) throw new UsageError(`name a subcommand: ${Object.keys(ACTIONS).join(", ")}`);
  return action(await connect(parsed, systemClock), parsed, words);
});

const ACTIONS: Readonly<Record<string, Action>> = {
  create: async (client, parsed, words) => {
    noMore(words);
    const scheme = choiceOption(parsed, "verify", SCHEMES);
    const [name, project] = [requiredOption(parsed, "name"), requiredOption(parsed, "project")];
    const given = await readSecret(parsed);
    if (scheme === undefined && given !== undefined) throw new UsageError("--secret-file needs --verify with a scheme");
    if (scheme !== undefined && scheme !== "standard_webhooks" && hasSecret(scheme) && given === undefined)
      throw new UsageError(`--secret-file is missing: ${scheme} verifies with a secret that the sender also has`);
    const body = { name, project, ...(scheme === undefined ? {} : { verification: { scheme }, secret: given }) };
    const purpose = `create the webhook in the project ${project}`;
    const made = await client.call(ROWS.createWebhook, { body, purpose });
    const secret = made.secret === null ? [] : [["secret", `${made.secret}  (not shown again)`] as const];
    const url = made.webhook_url ?? "(mooring webhooks url shows it)";
    print(parsed, made, [["id", made.id], ["url", url], ...secret]);
  },
  list: async (client, parsed, words) => {
    noMore(words);
    const project = textOption(parsed, "project");
    const purpose = project === undefined ? "list the webhooks" : `list the webhooks of the project ${project}`;
    const items = await Array.fromAsync(client.items(ROWS.listWebhooks, { query: { project }, purpose }));
    const rows = items.map(({ id, name, enabled, verification, urls }) => ({
      id,
      name,
      state: enabled ? "active" : "paused",
      verify: verification.scheme,
      requests: String(urls[0]?.hits ?? 0),
      "on old urls": String(urls.slice(1).reduce((sum, { hits }) => sum + hits, 0)),
    }));
    printTable(parsed, items, rows, ["id", "name", "state", "verify", "requests", "on old urls"]);
  },
  rename: (client, parsed, words) => change(client, parsed, words, { name: requiredOption(parsed, "name") }),
  pause: (client, parsed, words) => change(client, parsed, words, { enabled: false }),
  resume: (client, parsed, words) => change(client, parsed, words, { enabled: true }),
  delete: async (client, _parsed, words) => {
    await client.call(ROWS.deleteWebhook, { params: paramsOf(words), purpose: `delete the webhook ${words[0]}` });
  },
  rotate: async (client, parsed, words) => {
    const grace = GRACES[choiceOption(parsed, "grace", Object.keys(GRACES)) ?? "now"];
    const purpose = `rotate the address of the webhook ${words[0]}`;
    const call = { params: paramsOf(words), body: { grace_s: grace }, purpose };
    const made = await client.call(ROWS.rotateWebhookUrl, call);
    print(parsed, made, [
      ["url", made.webhook_url ?? "(mooring webhooks url shows it)"],
      ["old url until", made.former_url_until],
    ]);
  },
  url: async (client, parsed, words) => {
    const purpose = `show the address of the webhook ${words[0]}`;
    const shown = await client.call(ROWS.revealWebhookUrl, { params: paramsOf(words), purpose });
    process.stdout.write(`${parsed.values["json"] === true ? JSON.stringify(shown) : shown.webhook_url}\n`);
  },
  events: async (client, parsed, words) => {
    const params = paramsOf(words);
    const { items } = await client.call(ROWS.listWebhookEvents, {
      params,
      purpose: `list the events of the webhook ${words[0]}`,
    });
    const rows = items.map(({ id, received_at, type, size_bytes, verified }) => ({
      id,
      received_at,
      type: type ?? "",
      bytes: String(size_bytes),
      verified,
    }));
    printTable(parsed, items, rows, ["id", "received_at", "type", "bytes", "verified"]);
  },
  replay: async (client, parsed, words) => {
    const [id, event, ...rest] = words;
    if (event === undefined) throw new UsageError("name the webhook (hook_…) and the event (evt_…)");
    noMore(rest);
    const params = { ...paramsOf([id ?? ""]), event_id: event };
    const sent = await client.call(ROWS.replayWebhookEvent, {
      params,
      body: {},
      purpose: `send the event ${event} of the webhook ${id} again`,
    });
    print(parsed, sent, [["requests", String(sent.count)]]);
  },
  listen: (client, parsed, words) =>
    listen(client, paramsOf(words).webhook_id, {
      forward: textOption(parsed, "forward"),
      json: parsed.values["json"] === true,
    }),
};

function hasSecret(scheme: (typeof SCHEMES)[number]): boolean {
  return scheme === "basic" || WEBHOOK_SENDERS[scheme].secret !== null;
}

/** Lists the senders. It needs no server. */
function listSenders(parsed: Parsed, words: readonly string[]): void {
  noMore(words);
  const senders = Object.entries(WEBHOOK_SENDERS).map(([scheme, text]) => ({ scheme, ...text }));
  const rows = senders.map(({ secret, ...text }) => ({ ...text, secret: secret ?? "(none)" }));
  printTable(parsed, senders, rows, ["scheme", "title", "secret", "where"]);
}

async function change(
  client: Client,
  parsed: Parsed,
  words: readonly string[],
  body: { readonly name: string } | { readonly enabled: boolean },
): Promise<void> {
  const changed = await client.call(ROWS.updateWebhook, {
    params: paramsOf(words),
    body,
    purpose: `change the webhook ${words[0]}`,
  });
  const { id, name, enabled } = changed;
  print(parsed, changed, [
    ["id", id],
    ["name", name],
    ["state", enabled ? "active" : "paused"],
  ]);
}

function paramsOf([id = "", ...rest]: readonly string[]): { readonly webhook_id: string } {
  if (id === "") throw new UsageError("name the webhook by its id (hook_…)");
  noMore(rest);
  return { webhook_id: id };
}

function print(parsed: Parsed, answer: object, lines: readonly (readonly [string, string])[]): void {
  const text =
    parsed.values["json"] === true
      ? JSON.stringify(answer, null, 2)
      : lines.map(([name, value]) => `${name.padEnd(18)}${value}`).join("\n");
  process.stdout.write(`${text}\n`);
}

function printTable(
  parsed: Parsed,
  answer: readonly object[],
  rows: Parameters<typeof textTable>[1],
  names: readonly string[],
): void {
  if (parsed.values["json"] === true) return void process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  process.stdout.write(textTable(names, rows));
}
