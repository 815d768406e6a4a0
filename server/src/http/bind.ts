import type { AddressInfo, Server } from "node:net";

/** Splits `host:port`, with IPv6 addresses in brackets. */
export function partsOf(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon).replace(/^\[(.*)\]$/, "$1"), port: Number(address.slice(colon + 1)) };
}

/** Returns `host:port` with the real port, if the configured one is 0. */
export function boundAddress(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Binds the server and returns the address as bound. @throws Error `cannot listen on <address>: …` */
export async function bind(server: Server, address: string): Promise<string> {
  const { host, port } = partsOf(address);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(address, error)));
    server.listen(port, host, resolve);
  });
  return boundAddress(host, (server.address() as AddressInfo).port);
}

export function listenError(address: string, error: NodeJS.ErrnoException): Error {
  const cause =
    error.code === "EADDRINUSE" ? "another process listens there; stop it or choose another address" : error.message;
  return new Error(`cannot listen on ${address}: ${cause}`, { cause: error });
}

/** Whether an error of `bind` says that another process uses the address. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === "EADDRINUSE";
}
