import type { FastifyBaseLogger } from "fastify";
import { openListener, type HttpMetrics, type Listener } from "#http/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { Addresses } from "./addresses.ts";
import type { Config } from "./config.ts";
import type { Phases } from "./phases.ts";
import { CertificateWatch, openRedirect, readCertificate, tlsFilesOf, type TlsListener } from "./tls/index.ts";

interface Listeners {
  readonly listener: Listener;
  readonly s3Listener: Listener;
  /** The listeners with TLS. */
  readonly secure: readonly TlsListener[];
}

/** Binds the two public addresses. */
export async function openListeners(config: Config, phases: Phases): Promise<Listeners> {
  const { connections_max: connectionsMax } = config;
  const secure: TlsListener[] = [];
  const open = async (name: string, address: "listen" | "s3_listen"): Promise<Listener> => {
    const files = tlsFilesOf(config, address);
    const tls = files && readCertificate(files);
    // S3 clients use HTTP/1.1. HTTP/2 on their address would only be more code that can be attacked.
    const options = { connectionsMax, tls, http2: address === "listen" };
    const listener = phases.started(name, await openListener(config[address], options), (part) => part.stop(0));
    if (files && tls) secure.push({ files, certificate: tls, listener });
    return listener;
  };
  return { listener: await open("listener", "listen"), s3Listener: await open("s3 listener", "s3_listen"), secure };
}

/** Opens the configured addresses for Prometheus and for the redirect. */
export async function openOthers(
  config: Config,
  addresses: Addresses,
  metrics: HttpMetrics,
): Promise<{ readonly metricsListen: string | null; stop(): Promise<void> }> {
  const { metrics_listen: address, connections_max: connectionsMax } = config;
  const prometheus = address === "off" ? null : await serveMetrics(address, connectionsMax, metrics);
  const redirect = await openRedirectOf(config, addresses);
  return {
    metricsListen: prometheus?.address ?? null,
    stop: async () => void (await Promise.all([prometheus?.stop(1000), redirect?.stop(1000)])),
  };
}

async function openRedirectOf(config: Config, { portal_url: portalUrl }: Addresses): Promise<Listener | undefined> {
  const { http_redirect_listen: address, connections_max: connectionsMax } = config;
  return address === "off" ? undefined : openRedirect(address, { connectionsMax, portalUrl });
}

/** Uses changed certificate files without a restart. */
export function watchCertificates(
  secure: readonly TlsListener[],
  parts: { clock: Clock; log: FastifyBaseLogger; schedule: Schedule; phases: Phases },
): void {
  if (secure.length === 0) return;
  parts.phases.started("certificates", new CertificateWatch(secure, parts), (part) => part.stop());
}

async function serveMetrics(address: string, connectionsMax: number, metrics: HttpMetrics): Promise<Listener> {
  const listener = await openListener(address, { connectionsMax, requireHost: true });
  listener.serve((request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metrics.registry.metrics().then(
      (text) => response.writeHead(200, { "content-type": metrics.registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return listener;
}
