/** Where the portal's pages come from. */
export interface PortalAddress {
  /** `scheme://host[:port]`. */
  readonly origin: string;
  /** All that count as the portal's own: of a loopback address, its other names too. */
  readonly origins: readonly string[];
  /** The same server by the name `localhost`, where its address is another of this machine's; null elsewhere. */
  readonly localhostOrigin: string | null;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

export function portalAddressOf(portalUrl: string): PortalAddress {
  const { origin, hostname, protocol, port } = new URL(portalUrl);
  if (!LOOPBACK.includes(hostname)) return { origin, origins: [origin], localhostOrigin: null };
  const at = (host: string): string => new URL(`${protocol}//${host}${port === "" ? "" : `:${port}`}`).origin;
  return { origin, origins: LOOPBACK.map(at), localhostOrigin: at("localhost") };
}
