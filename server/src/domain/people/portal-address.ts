export interface PortalAddress {
  /** `scheme://host[:port]`. */
  readonly origin: string;
  /** All origins of the portal. A loopback address has several names. */
  readonly origins: readonly string[];
  /** The origin with the name `localhost`, if the portal has another loopback address. Otherwise null. */
  readonly localhostOrigin: string | null;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

export function portalAddressOf(portalUrl: string): PortalAddress {
  const { origin, hostname, protocol, port } = new URL(portalUrl);
  if (!LOOPBACK.includes(hostname)) return { origin, origins: [origin], localhostOrigin: null };
  const at = (host: string): string => new URL(`${protocol}//${host}${port === "" ? "" : `:${port}`}`).origin;
  return { origin, origins: LOOPBACK.map(at), localhostOrigin: at("localhost") };
}
