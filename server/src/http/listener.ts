import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { setTimeout as delay } from "node:timers/promises";
import { sharingWaits } from "#kernel/wait-budget.ts";
import { bind } from "./bind.ts";
import { drainBody, DRAIN_LIMITS, hasBody, type DrainLimits } from "./drain-body.ts";
import { faultOfHost } from "./host-field.ts";
import { createHttp2, type Http2 } from "./http2.ts";

/**
 * A bound address. It is bound before anything else starts. So a second start fails before it touches data, and the
 * real port is known when the configured port is 0. Before `serve`, requests with a body wait for it, up to a limit, and
 * others get 503.
 */
export interface Listener {
  readonly server: Server;
  /** `host:port` as bound. */
  readonly address: string;
  readonly refusedBodies: DrainLimits;
  serve(handler: RequestListener): void;
  /** Uses another certificate for new connections. Throws without TLS. */
  useCertificate(pair: CertificatePair): void;
  /** Accepts no more connections, waits for running requests, then closes the rest. Resolves when all are closed. */
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Closes connections that are idle in both directions for this long. Node's own `requestTimeout` would cut long
 * transfers.
 */
export const IDLE_TIMEOUT_MS = 120_000;
/** Load balancers commonly close idle connections after 60 s. This is longer, so that this server never closes first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const IDLE_SWEEP_MS = 20;
/** How long a request with a body waits for the end of the start. Many clients give up after 10 s. */
const START_WAIT_MS = 8_000;
/** Time limit for a request's header. Without `requestTimeout`, Node would wait without end. */
const HEADERS_TIMEOUT_MS = 30_000;

/** PEM: the certificate with its chain, and its private key. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

export interface ListenerOptions {
  readonly headersTimeoutMs?: number;
  /** Closes new connections above this number; no limit when absent. */
  readonly connectionsMax?: number;
  /** True: the listener refuses requests without a valid Host field. For handlers that do not check it. */
  readonly requireHost?: boolean;
  /** Limits of refused bodies; the product's limits when absent. */
  readonly refusedBodies?: DrainLimits;
  /** Speaks TLS, 1.2 or newer. */
  readonly tls?: CertificatePair | undefined;
  /** With TLS: speaks HTTP/2, too. */
  readonly http2?: boolean;
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
    http2 = false,
  }: ListenerOptions = {},
): Promise<Listener> {
  const early = new EarlyRequests();
  let handle: RequestListener = (request, response) => early.receive(request, response);
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
  const secure = tls && createTlsServer({ ...options, ...tlsOptionsOf(tls, http2, headersTimeoutMs) }, serve);
  const server: Server = secure ?? createServer(options, serve);
  server.timeout = IDLE_TIMEOUT_MS;
  if (connectionsMax !== undefined) server.maxConnections = connectionsMax;
  const second = secure && http2 ? speakHttp2(secure, { connectionsMax, refusedBodies }) : undefined;
  const handshakes = secure && watchHandshakes(secure);
  const bound = await bind(server, address);
  return {
    server,
    address: bound,
    refusedBodies,
    serve: (handler) => {
      handle = handler;
      early.pass(handler);
    },
    useCertificate: (pair) => {
      if (secure === undefined) throw new Error("cannot use a certificate: this listener has no TLS");
      secure.setSecureContext({ ...pair, minVersion: TLS_MIN_VERSION });
    },
    stop: async (timeoutMs) => {
      if (!server.listening) return;
      handshakes?.forEach((socket) => socket.destroy());
      second?.close();
      await stopServer(server, timeoutMs, () => second?.destroy());
    },
  };
}

/**
 * Requests during the start. Senders of telemetry do not all wait between attempts: some use up their retries on quick
 * answers with 503, and rsyslog's omelasticsearch takes every answer as final. Health checks must see that the server
 * is not ready.
 */
class EarlyRequests {
  readonly #waiting = new Map<IncomingMessage, { response: ServerResponse; timer: NodeJS.Timeout }>();

  receive(request: IncomingMessage, response: ServerResponse): void {
    if (!hasBody(request)) return answerStarting(response);
    const timer = setTimeout(() => {
      this.#waiting.delete(request);
      // Only rsyslog's omelasticsearch names no program. It drops what an answer refuses, and sends again without one.
      if (request.headers["user-agent"] === undefined) response.destroy();
      else answerStarting(response);
    }, START_WAIT_MS);
    this.#waiting.set(request, { response, timer });
    response.once("close", () => {
      this.#waiting.delete(request);
      clearTimeout(timer);
    });
  }

  pass(handler: RequestListener): void {
    for (const [request, { response, timer }] of this.#waiting) {
      clearTimeout(timer);
      sharingWaits(() => handler(request, response));
    }
    this.#waiting.clear();
  }
}

function answerStarting(response: ServerResponse): void {
  response.writeHead(503, { "retry-after": "1", "content-length": "0" }).end();
}

export const TLS_MIN_VERSION = "TLSv1.2";

function tlsOptionsOf({ cert, key }: CertificatePair, http2: boolean, handshakeTimeout: number) {
  const ALPNProtocols = [...(http2 ? ["h2"] : []), "http/1.1"];
  return { cert, key, minVersion: TLS_MIN_VERSION, ALPNProtocols, handshakeTimeout } as const;
}

/** Collects the connections with an incomplete TLS handshake. `close` of the server would wait for them without end. */
function watchHandshakes(server: TlsServer): ReadonlyMap<string, Socket> {
  const sockets = new Map<string, Socket>();
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket);
    sockets.set(name, socket);
    socket.once("close", () => sockets.delete(name));
  });
  server.on("secureConnection", (socket) => sockets.delete(nameOf(socket)));
  return sockets;
}

/** Serves HTTP/2 on connections whose client chose it. */
function speakHttp2(
  server: TlsServer,
  {
    connectionsMax,
    refusedBodies,
  }: Required<Pick<ListenerOptions, "refusedBodies">> & { connectionsMax: number | undefined },
): Http2 {
  const http2 = createHttp2(server, {
    streamsMax: connectionsMax ?? Number.POSITIVE_INFINITY,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    keepAliveTimeoutMs: KEEP_ALIVE_TIMEOUT_MS,
    refusedBodies,
  });
  const listeners = server.listeners("secureConnection") as ((socket: TLSSocket) => void)[];
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (socket) => {
    if (socket.alpnProtocol === "h2") http2.accept(socket);
    else for (const listener of listeners) listener.call(server, socket);
  });
  return http2;
}

async function stopServer(server: Server, timeoutMs: number, destroyRest: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const ended = new AbortController();
  const sweep = (async () => {
    // A connection becomes idle when its last request is answered during the stop. Node would keep it open.
    for (let waitedMs = 0; waitedMs < timeoutMs && !ended.signal.aborted; waitedMs += IDLE_SWEEP_MS) {
      server.closeIdleConnections();
      await delay(IDLE_SWEEP_MS);
    }
    if (ended.signal.aborted) return;
    server.closeAllConnections();
    destroyRest();
  })();
  await closed;
  ended.abort();
  await sweep;
}
