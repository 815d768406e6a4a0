import type { FastifyBaseLogger } from "fastify";
import { isTaken, openHttp2Listener, openListener, type Http2Listener, type Listener } from "#http/index.ts";
import { CONTENT_TYPE, type Metrics } from "#kernel/metrics/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import { refuseExceptOtlpGrpc, type SyslogListeners } from "#surfaces/telemetry/index.ts";
import type { Addresses } from "./addresses.ts";
import type { Config } from "./config.ts";
import type { Phases } from "./phases.ts";
import { SETTINGS } from "./settings.ts";
import { openSyslog } from "./syslog.ts";
import { CertificateWatch, openRedirect, readCertificate, tlsFilesOf, type TlsListener } from "./tls/index.ts";

interface Listeners {
  readonly listener: Listener;
  readonly s3Listener: Listener;
  /** `host:port` of OTLP/gRPC. Null: switched off, or its default port is taken. */
  readonly grpcListen: string | null;
  /** Bound, but not served yet. */
  readonly syslog: SyslogListeners;
  /** The listeners with TLS. */
  readonly secure: readonly TlsListener[];
  /** Stops all: they accept no more requests, and running ones end. */
  stop(): Promise<void>;
}

/** Binds the public addresses. */
export async function openListeners(config: Config, log: FastifyBaseLogger, phases: Phases): Promise<Listeners> {
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
  const listener = await open("listener", "listen");
  const s3Listener = await open("s3 listener", "s3_listen");
  const grpcListener = await openGrpc(config, listener, { log, phases });
  const syslog = await openSyslog(config, phases);
  const ofListen = secure.find(({ files }) => files.address === "listen");
  if (ofListen !== undefined && grpcListener !== null) secure.push({ ...ofListen, listener: grpcListener });
  if (ofListen !== undefined && syslog.tls !== null) secure.push({ ...ofListen, listener: syslog.tls });
  return {
    listener,
    s3Listener,
    syslog,
    grpcListen: grpcListener?.address ?? null,
    secure,
    stop: async () => {
      const all = [listener, s3Listener, ...(grpcListener === null ? [] : [grpcListener])];
      await Promise.all(all.map((each) => each.stop(config.stop_timeout_ms)));
    },
  };
}

/**
 * Binds the address of OTLP/gRPC, with the certificate of `listen`. Collectors use the same default port, so a start
 * continues without the default address.
 */
async function openGrpc(
  config: Config,
  listener: Listener,
  { log, phases }: { log: FastifyBaseLogger; phases: Phases },
): Promise<Http2Listener | null> {
  const { otlp_grpc_listen: address, connections_max: connectionsMax } = config;
  if (address === "off") return null;
  const files = tlsFilesOf(config, "listen");
  const options = { listener, connectionsMax, tls: files && readCertificate(files), refuse: refuseExceptOtlpGrpc };
  try {
    return phases.started("otlp grpc listener", await openHttp2Listener(address, options), (part) => part.stop(0));
  } catch (error) {
    if (address !== SETTINGS.otlp_grpc_listen.default || !isTaken(error)) throw error;
    log.warn({ address }, "another process uses the default port of OTLP/gRPC; the server starts without it");
    return null;
  }
}

/** Opens the configured addresses for Prometheus and for the redirect. */
export async function openOthers(
  config: Config,
  addresses: Addresses,
  metrics: Metrics,
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

/** Ends the streams, which never end by themselves, and waits for the running requests. */
export async function stopListening(
  { stop_timeout_ms: timeoutMs }: Config,
  parts: {
    readonly listeners: { stop(): Promise<void> };
    readonly others: { stop(): Promise<void> };
    readonly syslog: { stop(timeoutMs: number): Promise<void> };
    readonly tails: { stop(): void };
    readonly streams: { stop(): void };
  },
): Promise<void> {
  const { listeners, others, syslog, tails, streams } = parts;
  tails.stop();
  streams.stop();
  await Promise.all([listeners.stop(), others.stop(), syslog.stop(timeoutMs)]);
}

/** Uses changed certificate files without a restart. */
export function watchCertificates(
  secure: readonly TlsListener[],
  parts: { clock: Clock; log: FastifyBaseLogger; schedule: Schedule; phases: Phases; metrics: Metrics },
): Pick<CertificateWatch, "reload"> {
  if (secure.length === 0) return { reload: () => [] };
  const watch = parts.phases.started("certificates", new CertificateWatch(secure, parts), (part) => part.stop());
  parts.metrics.read("mooring_certificate_expiry_timestamp_seconds", () =>
    [...watch.expiries()].map(([listener, atMs]) => [{ listener }, Math.round(atMs / 1000)] as const),
  );
  return watch;
}

async function serveMetrics(address: string, connectionsMax: number, metrics: Metrics): Promise<Listener> {
  const listener = await openListener(address, { connectionsMax, requireHost: true });
  listener.serve((request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { "content-type": CONTENT_TYPE }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  return listener;
}
