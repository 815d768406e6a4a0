import type { Client, SentEvent } from "@mooring/client";
import { UsageError } from "../command.ts";
import { follow } from "../follow.ts";
import { printable } from "../printable.ts";
import { printInFull } from "../sink.ts";

export interface ListenOptions {
  /** The address that events are forwarded to; undefined: events are printed. */
  readonly forward: string | undefined;
  readonly json: boolean;
}

const FORWARD_TIMEOUT_MS = 30_000;
/** Header fields of the sender's connection. The forwarded request has its own. */
const NOT_FORWARDED: ReadonlySet<string> = new Set(
  "host connection content-length transfer-encoding keep-alive upgrade te trailer expect proxy-connection".split(" "),
);

/** Matches a redacted secret. It is not forwarded, because the destination would read its hash as a wrong secret. */
const NOT_KEPT = /^redacted(?::[0-9a-f]{16})?$/;

interface Event {
  readonly id: string;
  readonly received_at: string;
  readonly type: string | null;
  readonly method: string;
  readonly query: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly size_bytes: number;
  readonly body: string | null;
  readonly body_base64: string | null;
}

/** Follows a webhook until Ctrl-C. After a broken connection it continues where it was. */
export async function listen(client: Client, webhookId: string, options: ListenOptions): Promise<number> {
  if (options.forward !== undefined && !/^https?:$/.test(URL.parse(options.forward)?.protocol ?? ""))
    throw new UsageError("--forward needs an address that begins with http:// or https://");
  const webhookUrl = `${client.addresses.portal_url}/v1/webhooks/${encodeURIComponent(webhookId)}`;
  return follow(client, {
    purpose: "listen to the webhook",
    url: `${webhookUrl}/stream`,
    connected: () => void process.stderr.write("mooring: listening; end with Ctrl-C\n"),
    take: (event, signal) => take(client, webhookUrl, event, { ...options, signal }),
  });
}

type Following = ListenOptions & { readonly signal: AbortSignal };

async function take(client: Client, webhookUrl: string, sent: SentEvent, options: Following): Promise<void> {
  if (sent.event !== "event") return;
  const event = JSON.parse(sent.data) as Event;
  const outcome = options.forward === undefined ? "" : `  ${await forwarded(client, webhookUrl, event, options)}`;
  const line = `${event.received_at} ${event.id} ${event.type ?? "-"} ${event.size_bytes} bytes${outcome}`;
  await printInFull(`${options.json ? sent.data : printable(line)}\n`);
}

/** Forwards the event unchanged and prints the answer. Prints a failure and continues. */
async function forwarded(client: Client, webhookUrl: string, event: Event, options: Following): Promise<string> {
  const target = new URL(options.forward ?? "");
  if (event.query !== "" && target.search === "") target.search = event.query;
  const headers = new Headers();
  for (const [name, value] of event.headers)
    if (!NOT_FORWARDED.has(name.toLowerCase()) && !NOT_KEPT.test(value)) headers.append(name, value);
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]);
  try {
    const body = await bodyOf(client, webhookUrl, event);
    const response = await fetch(target, { method: "POST", headers, body, signal, redirect: "manual" });
    await response.body?.cancel();
    return `→ ${response.status}`;
  } catch (error) {
    if (options.signal.aborted) throw error;
    const { cause } = error as { cause?: { code?: string } };
    return `→ cannot reach ${target.origin} (${cause?.code ?? (error as Error).message})`;
  }
}

async function bodyOf(client: Client, webhookUrl: string, event: Event): Promise<Uint8Array<ArrayBuffer>> {
  if (event.body !== null) return new Uint8Array(Buffer.from(event.body));
  if (event.body_base64 !== null) return new Uint8Array(Buffer.from(event.body_base64, "base64"));
  const url = `${webhookUrl}/events/${event.id}/body`;
  return new Uint8Array(await (await client.send({ purpose: "read the event", url })).arrayBuffer());
}
