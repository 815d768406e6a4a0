import { Agent, type AgentOptions, type ClientRequestArgs } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { reachableOf } from "./destination.ts";
import { OutboundError } from "./failure.ts";

/** An HTTP proxy that all requests to other machines use. */
export interface EgressProxy {
  readonly host: string;
  readonly port: number;
  /** The value of `Proxy-Authorization`; null: none. */
  readonly authorization: string | null;
  /** The proxy resolves names. It must refuse addresses that are not public, because this server does not see them. */
  readonly trustsNames: boolean;
  /** Tells whether a destination is reached without the proxy. */
  bypasses(host: string, addresses: readonly string[]): boolean;
}

export interface ProxySettings {
  /** `http://[USER:PASSWORD@]HOST:PORT`. */
  readonly url: string;
  /** Names (with their subdomains), addresses and CIDR blocks. */
  readonly bypass: readonly string[];
  readonly trustsNames: boolean;
}

/** @throws Error for an invalid URL, without its password */
export function parseProxy({ url: text, bypass, trustsNames }: ProxySettings): EgressProxy {
  const url = URL.parse(text);
  if (url?.protocol !== "http:" || url.hostname === "") throw new Error("must be http://[USER:PASSWORD@]HOST:PORT");
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const isAddress = (entry: string): boolean => isIP(entry.split("/")[0] ?? "") !== 0;
  const { listed } = reachableOf({ privateAddresses: false, allowedAddresses: bypass.filter(isAddress) });
  const names = bypass.filter((entry) => !isAddress(entry)).map((name) => name.toLowerCase().replace(/^\./, ""));
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port) || 80,
    authorization: url.username === "" ? null : `Basic ${Buffer.from(user).toString("base64")}`,
    trustsNames,
    bypasses: (host, addresses) =>
      names.some((name) => host === name || host.endsWith(`.${name}`)) ||
      (addresses.length > 0 && addresses.every(listed)),
  };
}

const HEAD_BYTES_MAX = 8 * 1024;
const CONNECT_MS = 10_000;
/** The destination of each socket that leads through a proxy. */
const destinations = new WeakMap<Duplex, string>();

/** Returns the peer of a connection: behind a proxy, the address to which the proxy has connected. */
export function peerOf(socket: Socket): string {
  return destinations.get(socket) ?? socket.remoteAddress ?? "";
}

/** Asks the proxy to connect to a host and port. @throws OutboundError `connection_failed` */
export async function openTunnel(proxy: EgressProxy, host: string, port: number): Promise<Socket> {
  const socket = connect({ host: proxy.host, port: proxy.port });
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const authorization = proxy.authorization === null ? "" : `Proxy-Authorization: ${proxy.authorization}\r\n`;
  socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error("it did not answer in time")));
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  try {
    const status = await statusOf(socket);
    if (status !== 200) throw new Error(`it answered ${status}`);
  } catch (error) {
    socket.destroy();
    throw new OutboundError("connection_failed", `the egress proxy made no connection: ${(error as Error).message}`);
  }
  socket.setTimeout(0);
  return socket;
}

/**
 * Reads the head of the proxy's answer. Bytes behind it belong to the text of a refusal. Behind a success they would belong to
 * the destination, which never speaks first.
 */
function statusOf(socket: Socket): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let head = "";
  const onData = (chunk: Buffer): void => {
    head += chunk.toString("latin1");
    const end = head.indexOf("\r\n\r\n");
    if (end < 0 && head.length <= HEAD_BYTES_MAX) return;
    const [, status = ""] = /^HTTP\/1\.[01] ([0-9]{3})/.exec(head) ?? [];
    const hasMore = end + 4 !== head.length;
    if (end < 0 || status === "" || (status === "200" && hasMore)) reject(new Error("it did not answer in valid HTTP"));
    else resolve(Number(status));
  };
  const onClose = (): void => reject(new Error("it closed the connection"));
  socket.on("data", onData).once("error", reject).once("close", onClose);
  return promise.finally(() => socket.off("data", onData).off("error", reject).off("close", onClose));
}

type Connected = (error: Error | null, socket: Duplex) => void;

/** Options of a request. `tunnelTo`: the address that was checked, instead of the name. */
interface TunnelOptions extends ClientRequestArgs {
  readonly tunnelTo?: string;
  readonly servername?: string;
  readonly ca?: string;
}

async function tunnelFor(proxy: EgressProxy, options: TunnelOptions, defaultPort: number): Promise<Socket> {
  const to = options.tunnelTo ?? options.host ?? "";
  const socket = await openTunnel(proxy, to, Number(options.port ?? defaultPort));
  destinations.set(socket, to);
  return socket;
}

function through(connecting: Promise<Duplex>, connected: Connected | undefined): undefined {
  connecting.then(
    (socket) => connected?.(null, socket),
    // There is no socket then, which the types of Node do not say.
    (error: unknown) => connected?.(error as Error, undefined as never),
  );
}

/** Connects each request through the proxy. */
export class TunnelAgent extends Agent {
  readonly #proxy: EgressProxy;

  constructor(proxy: EgressProxy, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: TunnelOptions, connected?: Connected): undefined {
    return through(tunnelFor(this.#proxy, options, 80), connected);
  }
}

/** Connects each request through the proxy, with TLS to the destination inside. The proxy sees no content. */
export class SecureTunnelAgent extends SecureAgent {
  readonly #proxy: EgressProxy;

  constructor(proxy: EgressProxy, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: TunnelOptions, connected?: Connected): undefined {
    const secured = async (): Promise<TLSSocket> => {
      const socket = await tunnelFor(this.#proxy, options, 443);
      const { servername, ca } = options;
      const secure = connectTls({
        socket,
        host: options.host ?? "",
        ...(servername === undefined || servername === "" ? {} : { servername }),
        ...(ca === undefined ? {} : { ca }),
      });
      destinations.set(secure, destinations.get(socket) ?? "");
      return secure;
    };
    return through(secured(), connected);
  }
}
