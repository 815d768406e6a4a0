import { Agent, request as httpRequest, type AgentOptions, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as SecureAgent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { Clock } from "#kernel/time.ts";
import { destinationOf, reachableOf, refuseUnlessAllowed, type Destination } from "./destination.ts";
import { OutboundError } from "./failure.ts";
import { peerOf, SecureTunnelAgent, TunnelAgent, type EgressProxy } from "./proxy.ts";
import type { Outbound, OutboundAnswer } from "./types.ts";
import { remembering, systemResolve, type Resolve } from "./resolve.ts";

export interface OutboundOptions {
  /** Allows loopback, private and other addresses that are not public, and plain HTTP. */
  readonly privateAddresses: boolean;
  /** Addresses and CIDR blocks that are allowed although they are not public, also by plain HTTP. */
  readonly allowedAddresses?: readonly string[];
  readonly clock: Clock;
  readonly userAgent: string;
  /** From the first look-up to the end of the answer. */
  readonly timeoutMs?: number;
  /** Certificate authorities to trust in addition to the system's, in PEM. */
  readonly ca?: string;
  readonly resolve?: Resolve;
  /** Absent: connections go to the destination. */
  readonly proxy?: EgressProxy | undefined;
  /** How long resolved addresses of a name are cached. */
  readonly resolvedMs?: number;
}

const TIMEOUT_MS = 5000;
const RESOLVED_MS = 5000;
/** How long an unused connection is kept. Most servers close theirs after five seconds. */
const IDLE_MS = 4000;
/** The most unused connections to one origin. */
const IDLE_CONNECTIONS_MAX = 64;
/** How much of an answer's body is read and discarded. So the destination can usually send its whole answer. */
const ANSWER_BYTES_MAX = 64 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
const NOTHING = Buffer.alloc(0);

export function createOutbound(options: OutboundOptions): Outbound {
  const { privateAddresses, timeoutMs = TIMEOUT_MS, resolvedMs = RESOLVED_MS } = options;
  const reachable = reachableOf(options);
  const asking = options.resolve ?? systemResolve({ hosts: privateAddresses || reachable.hasList });
  const resolve = remembering(asking, resolvedMs);
  const kept = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS_MAX, timeout: IDLE_MS };
  const direct: Agents = { "http:": new Agent(kept), "https:": new SecureAgent(kept), fresh: () => false };
  const proxied = options.proxy === undefined ? direct : agentsThrough(options.proxy, kept);
  /** Returns the addresses that may be used, all of them checked, and the way to them. */
  async function routeTo(
    destination: Destination,
    signal: AbortSignal,
  ): Promise<{ readonly addresses: readonly string[]; readonly agents: Agents }> {
    const { host, url } = destination;
    const { proxy } = options;
    const isName = isIP(host) === 0;
    if (proxy?.trustsNames === true && isName && !proxy.bypasses(host, []))
      return { addresses: [host], agents: proxied };
    const addresses = await addressesOf(destination, resolve, signal);
    refuseUnlessAllowed(url, addresses, reachable);
    return { addresses, agents: proxy?.bypasses(host, addresses) === true ? direct : proxied };
  }
  /** Resolves the name and sends the request, all within the time limit. */
  async function ask(request: Asked, signal: AbortSignal): Promise<Answered> {
    const limit = limitOf(signal, timeoutMs);
    try {
      const destination = destinationOf(request.url, reachable);
      const { addresses, agents } = await routeTo(destination, limit.signal);
      const answered = await exchange(destination, addresses, request, { ...options, agents, signal: limit.signal });
      if (request.keptBytesMax !== undefined && !answered.isWhole) limit.signal.throwIfAborted();
      return answered;
    } catch (error) {
      throw failureOf(error, signal, limit.signal, timeoutMs);
    } finally {
      limit.end();
    }
  }
  return {
    check: (url) => destinationOf(url, reachable).url.href,
    post: async ({ url, headers, body, signal }) => {
      const startedMs = performance.now();
      const length = Buffer.byteLength(body);
      const asked: Asked = { method: "POST", url, headers: { ...headers, "content-length": length }, body };
      const { status, retryAfter } = await ask(asked, signal);
      const retryAfterMs = retryAfterMsOf(retryAfter, options.clock.nowMs());
      return { status, retryAfterMs, elapsedMs: Math.round(performance.now() - startedMs) } satisfies OutboundAnswer;
    },
    get: async ({ url, headers, bytesMax, signal }) => {
      const { status, body, isWhole } = await ask({ method: "GET", url, headers, keptBytesMax: bytesMax }, signal);
      if (isWhole) return { status, body };
      throw new OutboundError("too_large", `the destination's answer broke off or has more than ${bytesMax} bytes`);
    },
  };
}

/** A request, and how much of the answer's body to keep. The rest is discarded. */
interface Asked {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string | Uint8Array;
  readonly keptBytesMax?: number;
}

/**
 * Returns a signal that follows the caller's signal and a timer. AbortSignal.any and .timeout cost several times as
 * much.
 */
function limitOf(caller: AbortSignal, timeoutMs: number): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (caller.aborted) abort();
  const timer = setTimeout(abort, timeoutMs);
  caller.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
      caller.removeEventListener("abort", abort);
    },
  };
}

async function addressesOf({ host }: Destination, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  let found: readonly string[];
  try {
    found = await resolve(host, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new OutboundError("name_not_found", `the name ${host} can't be looked up now (${codeOf(error)})`);
  }
  if (found.length === 0) throw new OutboundError("name_not_found", `the name ${host} has no address`);
  return found;
}

interface Answered {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Empty if the body was not to be kept. */
  readonly body: Buffer;
  /** False: the body is longer than was read, or was cut off. */
  readonly isWhole: boolean;
}

/** A kept connection cannot be used: the destination has closed it, or the name resolves to another address now. */
class ConnectionGone extends Error {}

type Scheme = "http:" | "https:";

/** The agents of one way to destinations. */
interface Agents extends Readonly<Record<Scheme, Agent>> {
  /** Returns an agent without kept connections; false: that of Node. */
  fresh(scheme: Scheme): Agent | false;
}

function agentsThrough(proxy: EgressProxy, kept: AgentOptions): Agents {
  return {
    "http:": new TunnelAgent(proxy, kept),
    "https:": new SecureTunnelAgent(proxy, kept),
    fresh: (scheme) => (scheme === "http:" ? new TunnelAgent(proxy, {}) : new SecureTunnelAgent(proxy, {})),
  };
}

type ExchangeOptions = OutboundOptions & { readonly agents: Agents; readonly signal: AbortSignal };

/** Sends one request to one of these addresses only, on a kept connection if there is one. */
async function exchange(
  destination: Destination,
  addresses: readonly string[],
  request: Asked,
  options: ExchangeOptions,
): Promise<Answered> {
  const scheme = destination.url.protocol as Scheme;
  const { agents } = options;
  try {
    return await exchangeOn(agents[scheme], destination, addresses, { request, options });
  } catch (error) {
    if (!(error instanceof ConnectionGone)) throw error;
    return exchangeOn(agents.fresh(scheme), destination, addresses, { request, options });
  }
}

/** `agent`: false for a separate connection. */
function exchangeOn(
  agent: Agent | false,
  { url, host }: Destination,
  addresses: readonly string[],
  { request: asked, options }: { request: Asked; options: ExchangeOptions },
): Promise<Answered> {
  const secure = url.protocol === "https:";
  const settings: RequestOptions & { ca?: string; tunnelTo: string } = {
    tunnelTo: addresses[0] ?? host,
    method: asked.method,
    host,
    ...(url.port === "" ? {} : { port: url.port }),
    path: url.pathname + url.search,
    headers: { ...asked.headers, "user-agent": options.userAgent },
    lookup: lookupAmong(addresses),
    agent,
    maxHeaderSize: HEADER_BYTES_MAX,
    signal: options.signal,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const request = (secure ? httpsRequest : httpRequest)(settings);
  // A server may close a kept connection at the moment of its next use (RFC 9112 section 9.3.1).
  const fail = (error: Error): void =>
    reject(request.reusedSocket && hasEnded(error) ? new ConnectionGone(error.message) : error);
  request.on("socket", (socket) => guard(socket, addresses));
  request.on("error", fail);
  let isAnswered = false;
  request.on("close", () => {
    if (!isAnswered) reject(new OutboundError("connection_failed", "the destination sent no answer"));
  });
  request.on("upgrade", (_response, socket) => socket.destroy());
  request.on("response", (response) => {
    drain(response, asked.keptBytesMax, (isWhole, body) => {
      isAnswered = true;
      if (!isWhole) request.destroy();
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], body, isWhole });
    });
  });
  request.end(asked.body);
  return promise;
}

function hasEnded(error: Error): boolean {
  return error instanceof ConnectionGone || ["ECONNRESET", "EPIPE"].includes(codeOf(error));
}

/** Returns the checked addresses of the name. Another look-up could return different ones. */
function lookupAmong(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    const first = found[0] as { address: string; family: number };
    if (options.all === true) callback(null, found);
    else callback(null, first.address, first.family);
  };
}

/**
 * Checks the peer of every connection, also of a kept one: nothing is sent to an address that was not checked for this
 * request.
 */
function guard(socket: Socket, addresses: readonly string[]): void {
  const isChecked = (): boolean => {
    const peer = peerOf(socket);
    return addresses.includes(peer) || addresses.some((address) => sameAddress(address, peer));
  };
  if (!socket.connecting) {
    if (!isChecked()) socket.destroy(new ConnectionGone("the name now resolves to another address"));
    return;
  }
  socket.once("connect", () => {
    if (isChecked()) return;
    socket.destroy(
      new OutboundError("destination_refused", "the destination resolved to an address that was not checked"),
    );
  });
}

/** Compares addresses by the URL parser's spelling, because IPv6 has many. */
function sameAddress(one: string, other: string): boolean {
  const canonical = (address: string): string =>
    isIP(address) === 6 ? new URL(`http://[${address}]/`).hostname : address;
  return !one.includes("%") && !other.includes("%") && canonical(one) === canonical(other);
}

/** Reads a body to its end or to its limit. Keeps it only if `keptBytesMax` is given. */
function drain(
  response: IncomingMessage,
  keptBytesMax: number | undefined,
  done: (isWhole: boolean, body: Buffer) => void,
): void {
  let bytes = 0;
  const kept: Buffer[] = [];
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > (keptBytesMax ?? ANSWER_BYTES_MAX)) done(false, NOTHING);
    else if (keptBytesMax !== undefined) kept.push(chunk);
  });
  response.on("end", () => done(true, Buffer.concat(kept)));
  response.on("error", () => done(false, NOTHING)); // the answer's head is enough for a message
}

/** Parses seconds or a date (RFC 9110 section 10.2.3). */
function retryAfterMsOf(field: string | undefined, nowMs: number): number | null {
  if (field === undefined) return null;
  if (/^[0-9]{1,9}$/.test(field)) return Number(field) * 1000;
  const atMs = Date.parse(field);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

function failureOf(error: unknown, caller: AbortSignal, signal: AbortSignal, timeoutMs: number): OutboundError {
  if (caller.aborted) return new OutboundError("cancelled", "the request was cancelled");
  if (signal.aborted) return new OutboundError("timeout", `the destination did not answer within ${timeoutMs} ms`);
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  if (isTlsCode(code)) return new OutboundError("tls_failed", `the destination's certificate was refused (${code})`);
  return new OutboundError("connection_failed", `the destination can't be reached (${code})`);
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** Recognizes OpenSSL's codes for certificates (X509_V_ERR_…), and Node's for their names. */
function isTlsCode(code: string): boolean {
  return /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|CRL/.test(code);
}
