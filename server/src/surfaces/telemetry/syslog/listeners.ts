import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { bind, boundAddress, listenError, partsOf, TLS_MIN_VERSION, type CertificatePair } from "#http/index.ts";

/**
 * A bound address for connections. They wait for `serve`: to close them would lose what senders believe to be delivered.
 */
export interface StreamListener {
  readonly address: string;
  serve(handler: (socket: Socket) => void): void;
  useCertificate(pair: CertificatePair): void;
  /** Accepts no more connections. */
  close(): void;
}

/** A bound address for datagrams. Before `serve`, it drops them. */
export interface DatagramListener {
  readonly address: string;
  serve(handler: (bytes: Buffer, peer: string) => void): void;
  close(): Promise<void>;
}

/** Senders of syslog rarely send while nothing happens. The kernel then checks whether the peer still exists. */
const KEEP_ALIVE_MS = 60_000;
const HANDSHAKE_TIMEOUT_MS = 30_000;
/** Requested from the kernel, which may give less (`net.core.rmem_max`). */
const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024;

/** @throws Error `cannot listen on <address>: …` */
export async function openStreamListener(
  address: string,
  options: { readonly connectionsMax: number; readonly tls?: CertificatePair | undefined },
): Promise<StreamListener> {
  const early = new Set<Socket>();
  let handle = (socket: Socket): void => {
    early.add(socket);
    socket.once("close", () => early.delete(socket));
  };
  const accept = (socket: Socket): void => {
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on("error", () => undefined); // The event `close` follows.
    handle(socket);
  };
  const { tls } = options;
  const secure = tls && createTlsServer(tlsOptions(tls), accept);
  const server: Server = secure ?? createServer(accept);
  // Connections in their TLS handshake have no handler yet.
  server.on("connection", (socket) => socket.on("error", () => undefined));
  server.maxConnections = options.connectionsMax;
  const bound = await bind(server, address);
  return {
    address: bound,
    serve: (handler) => {
      handle = handler;
      for (const socket of early) handler(socket);
      early.clear();
    },
    useCertificate: (pair) => secure?.setSecureContext(tlsOptions(pair)),
    close: () => {
      server.close();
      for (const socket of early) socket.destroy(); // The start has failed.
    },
  };
}

/** Binds an address for datagrams. @throws Error `cannot listen on <address>: …` */
export async function openDatagramListener(address: string): Promise<DatagramListener> {
  const { host, port } = partsOf(address);
  const type = host.includes(":") ? "udp6" : "udp4";
  const socket: UdpSocket = createSocket({ type, recvBufferSize: RECEIVE_BUFFER_BYTES });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", (error: NodeJS.ErrnoException) => reject(listenError(address, error)));
    socket.bind(port, host, resolve);
  });
  socket.removeAllListeners("error");
  socket.on("error", () => undefined); // A datagram that could not be received.
  const closed = once(socket, "close");
  let isOpen = true;
  return {
    address: boundAddress(host, socket.address().port),
    serve: (handler) => void socket.on("message", (bytes, { address: peer }) => handler(bytes, peer)),
    close: async () => {
      if (isOpen) socket.close();
      isOpen = false;
      await closed;
    },
  };
}

function tlsOptions({ cert, key }: CertificatePair): TlsOptions {
  return { cert, key, minVersion: TLS_MIN_VERSION, handshakeTimeout: HANDSHAKE_TIMEOUT_MS };
}
