import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { sharingWaits } from "#kernel/wait-budget.ts";
import { drainBody, DRAIN_LIMITS, type DrainLimits } from "./drain-body.ts";
import { faultOfHost } from "./host-field.ts";

/**
 * A bound address. It is taken before anything else starts, so that a second start fails before it touches data, and so
 * that a port of 0 is known when addresses are made. Until `serve` it answers 503.
 */
export interface Listener {
  readonly server: Server;
  /** `host:port` as bound. */
  readonly address: string;
  readonly refusedBodies: DrainLimits;
  serve(handler: RequestListener): void;
  /** Accepts no more connections, waits for running requests, then closes the rest. Resolves when all are closed. */
  stop(timeoutMs: number): Promise<void>;
}

/** Connections without a byte either way for this long are closed; Node's own `requestTimeout` would cut long transfers. */
const IDLE_TIMEOUT_MS = 120_000;
/** Longer than the 60 s that load balancers commonly keep idle connections for, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const IDLE_SWEEP_MS = 20;
/** From the first byte of a request to the end of its header. Without `requestTimeout`, Node would wait for it for ever. */
const HEADERS_TIMEOUT_MS = 30_000;

export interface ListenerOptions {
  readonly headersTimeoutMs?: number;
  /** More connections than these are closed as they come; no limit when absent. */
  readonly connectionsMax?: number;
  /** Whether a request without a right Host is refused here, for a handler that does not look. */
  readonly requireHost?: boolean;
  /** Limits of refused bodies; the product's limits when absent. */
  readonly refusedBodies?: DrainLimits;
  /** PEM: speaks TLS by them. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** @throws Error `cannot listen on <address>: …` */
export async function openListener(
  address: string,
  {
    headersTimeoutMs = HEADERS_TIMEOUT_MS,
    connectionsMax,
    requireHost = false,
    refusedBodies = DRAIN_LIMITS,
    tls,
  }: ListenerOptions = {},
): Promise<Listener> {
  const { host, port } = partsOf(address);
  let handle: RequestListener = (_request, response) => {
    response.writeHead(503, { "retry-after": "1", "content-length": "0" }).end();
  };
  const timeouts = {
    requestTimeout: 0,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: headersTimeoutMs / 3,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  };
  const options = { ...timeouts, noDelay: true, requireHostHeader: requireHost };
  const serve: RequestListener = (request, response) => {
    drainBody(request, response, refusedBodies);
    if (requireHost && faultOfHost(request) !== undefined) response.writeHead(400).end();
    else sharingWaits(() => handle(request, response));
  };
  const server = tls === undefined ? createServer(options, serve) : createTlsServer({ ...options, ...tls }, serve);
  server.timeout = IDLE_TIMEOUT_MS;
  if (connectionsMax !== undefined) server.maxConnections = connectionsMax;
  await bind(server, host, port, address);
  const bound = server.address() as AddressInfo;
  return {
    server,
    address: `${host.includes(":") ? `[${host}]` : host}:${bound.port}`,
    refusedBodies,
    serve: (handler) => {
      handle = handler;
    },
    stop: async (timeoutMs) => stopServer(server, timeoutMs),
  };
}

function partsOf(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon).replace(/^\[(.*)\]$/, "$1"), port: Number(address.slice(colon + 1)) };
}

async function bind(server: Server, host: string, port: number, address: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const cause =
        error.code === "EADDRINUSE"
          ? "another process listens there; stop it or choose another address"
          : error.message;
      reject(new Error(`cannot listen on ${address}: ${cause}`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

async function stopServer(server: Server, timeoutMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const ended = new AbortController();
  const sweep = (async () => {
    // A connection whose last request was answered during the stop is idle from then on, and would be kept alive.
    for (let waitedMs = 0; waitedMs < timeoutMs && !ended.signal.aborted; waitedMs += IDLE_SWEEP_MS) {
      server.closeIdleConnections();
      await delay(IDLE_SWEEP_MS);
    }
    if (!ended.signal.aborted) server.closeAllConnections();
  })();
  await closed;
  ended.abort();
  await sweep;
}
