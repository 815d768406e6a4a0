import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError, UnreachableError, type Client } from "../client.ts";
import { ExitCode, UsageError } from "../command.ts";
import { sentEvents, type SentEvent } from "../events.ts";
import { onInterrupt } from "../interrupt.ts";
import { printable } from "../printable.ts";

export interface ListenOptions {
  /** Where events are sent on to; undefined: they are printed. */
  readonly forward: string | undefined;
  readonly json: boolean;
}

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 10_000;
const FORWARD_TIMEOUT_MS = 30_000;
/** Fields of the connection that the event came by; the next one has its own. */
const NOT_FORWARDED: ReadonlySet<string> = new Set(
  "host connection content-length transfer-encoding keep-alive upgrade te trailer expect proxy-connection".split(" "),
);

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

/** Follows a webhook until Ctrl-C; after a broken connection it goes on where it was. */
export async function listen(client: Client, webhookUrl: string, options: ListenOptions): Promise<number> {
  if (options.forward !== undefined && !/^https?:$/.test(URL.parse(options.forward)?.protocol ?? ""))
    throw new UsageError("--forward takes an address that begins with http:// or https://");
  const interrupt = onInterrupt();
  try {
    await follow(client, webhookUrl, { ...options, signal: interrupt.signal });
    return ExitCode.ok;
  } catch (error) {
    if (interrupt.signal.aborted) return ExitCode.interrupted;
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return ExitCode.ok; // `| head` has seen enough
    throw error;
  } finally {
    interrupt.release();
  }
}

type Following = ListenOptions & { readonly signal: AbortSignal };

async function follow(client: Client, webhookUrl: string, options: Following): Promise<never> {
  const { signal } = options;
  let lastId: string | undefined;
  let waitMs = RETRY_FIRST_MS;
  let connected = false;
  for (;;) {
    try {
      const headers = { accept: "text/event-stream", ...(lastId === undefined ? {} : { "last-event-id": lastId }) };
      const response = await client.send({
        purpose: "listen to the webhook",
        url: `${webhookUrl}/stream`,
        headers,
        signal,
      });
      if (!connected) process.stderr.write("mooring: listening; end with Ctrl-C\n");
      connected = true;
      for await (const event of sentEvents(response.body)) {
        waitMs = RETRY_FIRST_MS;
        await take(client, webhookUrl, event, options);
        lastId = event.id ?? lastId;
      }
    } catch (error) {
      if (signal.aborted || !connected || !isPassing(error)) throw error;
      process.stderr.write(`mooring: ${printable((error as Error).message)}; trying again\n`);
    }
    await delay(waitMs, undefined, { signal });
    waitMs = Math.min(RETRY_MAX_MS, 2 * waitMs);
  }
}

/** A stream that breaks off is a TypeError of fetch. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof UnreachableError || error instanceof TypeError;
}

async function take(client: Client, webhookUrl: string, sent: SentEvent, options: Following): Promise<void> {
  if (sent.event !== "event") return;
  const event = JSON.parse(sent.data) as Event;
  const outcome = options.forward === undefined ? "" : `  ${await forwarded(client, webhookUrl, event, options)}`;
  const line = `${event.received_at} ${event.id} ${event.type ?? "-"} ${event.size_bytes} bytes${outcome}`;
  if (!process.stdout.write(`${options.json ? sent.data : printable(line)}\n`)) await once(process.stdout, "drain");
}

/** Sends the event on as it came, and says what was answered. What can't be reached is told, and the next event is tried. */
async function forwarded(client: Client, webhookUrl: string, event: Event, options: Following): Promise<string> {
  const target = new URL(options.forward ?? "");
  if (event.query !== "" && target.search === "") target.search = event.query;
  const headers = new Headers();
  for (const [name, value] of event.headers) if (!NOT_FORWARDED.has(name.toLowerCase())) headers.append(name, value);
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
