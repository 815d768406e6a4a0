import type { ServiceAddresses } from "~/api/addresses.ts";
import type { StateKind } from "~/kit/state.tsx";

export interface Readiness {
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
}

export interface Service {
  readonly title: string;
  readonly address: string;
  /** The checks of `/readyz` that the service needs; null: the server does not report any. */
  readonly needs: readonly string[] | null;
}

/** Returns the services with the addresses that people configure. */
export function servicesOf(addresses: ServiceAddresses): readonly Service[] {
  return [
    { title: "Tokens", address: `${addresses.identity_url}/oauth/token`, needs: ["metadata"] },
    { title: "JWKS", address: `${addresses.identity_url}/.well-known/jwks.json`, needs: ["metadata"] },
    { title: "Ingest", address: `${addresses.ingest_url}/v1/ingest`, needs: ["metadata", "telemetry"] },
    { title: "OTLP", address: `${addresses.ingest_url}/otlp`, needs: ["metadata", "telemetry"] },
    { title: "Query", address: `${addresses.query_url}/v1/query`, needs: ["metadata", "telemetry"] },
    { title: "Storage", address: addresses.storage_url, needs: ["metadata", "objects"] },
    { title: "Registry", address: addresses.registry_domain, needs: ["metadata", "objects"] },
    { title: "S3", address: addresses.s3_endpoint, needs: null },
    { title: "Webhooks", address: `${addresses.webhooks_url}/hooks`, needs: ["metadata"] },
  ];
}

/**
 * Returns the health of a service. It is up if the server answers and all checks that it needs are good. Null: the
 * server did not answer.
 */
export function healthOf(
  readiness: Readiness | null | undefined,
  { needs }: Pick<Service, "needs">,
): { kind: StateKind; text: string } {
  if (needs === null) return { kind: "none", text: "unknown" };
  if (readiness === undefined) return { kind: "none", text: "asking" };
  if (readiness === null) return { kind: "stop", text: "no answer" };
  const failed = needs.filter((check) => readiness.checks[check] === "failed");
  if (failed.length > 0) return { kind: "stop", text: `down: ${failed.join(", ")}` };
  const isStopping = readiness.status !== "ok" && Object.values(readiness.checks).every((check) => check === "ok");
  return isStopping ? { kind: "warn", text: "stopping" } : { kind: "go", text: "up" };
}
