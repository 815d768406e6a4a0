import type { Config } from "./config.ts";

/** The address of each service of this deployment. */
export interface Addresses {
  readonly identity_url: string;
  readonly ingest_url: string;
  readonly query_url: string;
  readonly storage_url: string;
  readonly registry_domain: string;
  readonly s3_endpoint: string;
  readonly webhooks_url: string;
  readonly portal_url: string;
}

/** Returns the configured addresses. Those that are not configured follow from the listening address. */
export function addressesOf(config: Config, listen: string, s3Listen: string): Addresses {
  const origin = `${config.tls_cert === null ? "http" : "https"}://${listen}`;
  const s3Origin = `${config.s3_tls_cert === null ? "http" : "https"}://${s3Listen}`;
  const of = (url: string | null): string => (url ?? origin).replace(/\/+$/, "");
  return {
    identity_url: of(config.identity_url),
    ingest_url: of(config.ingest_url),
    query_url: of(config.query_url),
    storage_url: of(config.storage_url),
    registry_domain: config.registry_domain ?? listen,
    s3_endpoint: (config.s3_endpoint ?? s3Origin).replace(/\/+$/, ""),
    webhooks_url: of(config.webhooks_url),
    portal_url: of(config.portal_url),
  };
}
