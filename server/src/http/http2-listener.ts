import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { setTimeout as delay } from "node:timers/promises";
import { bind } from "./bind.ts";
import { createHttp2 } from "./http2.ts";
import { IDLE_TIMEOUT_MS, TLS_MIN_VERSION, type CertificatePair, type Listener } from "./listener.ts";

/** An address that accepts HTTP/2 only: over TLS, or without TLS by prior knowledge (RFC 9113 section 3.3). */
export interface Http2Listener extends Pick<Listener, "address" | "useCertificate" | "stop"> {}

export interface Http2ListenerOptions {
  /** The listener whose server answers the requests. It has TLS exactly if this listener has it. */
  readonly listener: Pick<Listener, "server" | "refusedBodies">;
  readonly connectionsMax: number;
  readonly tls: CertificatePair | undefined;
  /** Returns the header of the answer to a request that is not forwarded. */
  readonly refuse: (headers: IncomingHttpHeaders) => OutgoingHttpHeaders | undefined;
}

/** Exporters of metrics send once a minute. They should not have to connect each time. */
const KEEP_ALIVE_TIMEOUT_MS = 5 * 60_000;
/** Longer than a minute, because some clients connect when they start, and send after an interval. */
const FIRST_REQUEST_TIMEOUT_MS = 72_000;
const HANDSHAKE_TIMEOUT_MS = 30_000;
const STOP_SWEEP_MS = 20;

/** @throws Error `cannot listen on <address>: …` */
export async function openHttp2Listener(address: string, options: Http2ListenerOptions): Promise<Http2Listener> {
  const { listener, connectionsMax, tls, refuse } = options;
  const http2 = createHttp2(listener.server, {
    streamsMax: connectionsMax,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    keepAliveTimeoutMs: KEEP_ALIVE_TIMEOUT_MS,
    firstRequestTimeoutMs: FIRST_REQUEST_TIMEOUT_MS,
    refusedBodies: listener.refusedBodies,
    refuse,
  });
  const sockets = new Set<Socket>();
  const watch = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => undefined); // The event `close` follows.
  };
  const secure = tls && createTlsServer({ ...secureOptions(tls) }, (socket) => acceptSecure(socket));
  const server = secure ?? createServer({ noDelay: true }, (socket) => http2.accept(socket));
  const acceptSecure = (socket: TLSSocket): void =>
    socket.alpnProtocol === "h2" ? http2.accept(socket) : void socket.destroy();
  server.on("connection", watch);
  server.maxConnections = connectionsMax;
  const bound = await bind(server, address);
  return {
    address: bound,
    useCertificate: (pair) => secure?.setSecureContext({ ...pair, minVersion: TLS_MIN_VERSION }),
    stop: async (timeoutMs) => {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      http2.close();
      for (let waitedMs = 0; waitedMs < timeoutMs && sockets.size > 0; waitedMs += STOP_SWEEP_MS)
        await delay(STOP_SWEEP_MS);
      http2.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function secureOptions({ cert, key }: CertificatePair) {
  const limits = { minVersion: TLS_MIN_VERSION, handshakeTimeout: HANDSHAKE_TIMEOUT_MS, noDelay: true } as const;
  return { cert, key, ALPNProtocols: ["h2"], ...limits };
}
