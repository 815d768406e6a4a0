import type { FastifyBaseLogger } from "fastify";
import type { Identity } from "#domain/identity/index.ts";
import type { RefusedEntries } from "#domain/refused-entries/index.ts";
import { UTC, zoneOf } from "#domain/telemetry/text/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import {
  createSyslogServer,
  openDatagramListener,
  openStreamListener,
  type IngestRuleParts,
  type SyslogListeners,
  type SyslogServer,
  type SyslogTransport,
} from "#surfaces/telemetry/index.ts";
import type { Config } from "./config.ts";
import type { Phases } from "./phases.ts";
import { readCertificate, tlsFilesOf } from "./tls/index.ts";

const TRANSPORTS: readonly SyslogTransport[] = ["tcp", "tls", "udp"];
const RESULTS = ["stored", "refused", "dropped"] as const;

/** Binds the configured addresses of syslog. */
export async function openSyslog(config: Config, phases: Phases): Promise<SyslogListeners> {
  const { connections_max: connectionsMax } = config;
  const stream = async (name: "tcp" | "tls"): Promise<SyslogListeners["tcp"]> => {
    const address = config[`syslog_${name}_listen`];
    if (address === "off") return null;
    const files = name === "tls" ? tlsFilesOf(config, "listen") : undefined;
    const listener = await openStreamListener(address, { connectionsMax, tls: files && readCertificate(files) });
    return phases.started(`syslog ${name} listener`, listener, (part) => part.close());
  };
  const [tcp, tls] = [await stream("tcp"), await stream("tls")];
  const { syslog_udp_listen: address } = config;
  const udp = address === "off" ? null : await openDatagramListener(address);
  if (udp !== null) phases.started("syslog udp listener", udp, (part) => part.close());
  return { tcp, tls, udp };
}

export interface SyslogParts {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly clock: Clock;
  readonly identity: Identity;
  readonly telemetry: TelemetryStore;
  readonly metrics: Metrics;
  readonly rules: IngestRuleParts;
  readonly refused: RefusedEntries;
}

/** Serves the bound addresses. */
export function startSyslog(listeners: SyslogListeners, parts: SyslogParts): SyslogServer {
  const { config, log, clock, identity, telemetry, metrics, rules, refused } = parts;
  const shown = (secret: string, ip: string) => ({ secret, ip, requestId: newId("req", clock.nowMs()) });
  const server = createSyslogServer(listeners, {
    store: telemetry,
    rules,
    refused,
    clock,
    log,
    key: config.syslog_key,
    zone: zoneOf(config.syslog_timezone) ?? UTC,
    authenticate: (key, ip) => identity.senders.authenticate(shown(key, ip)),
    watch: (key, ip, ended) => identity.senders.watch(shown(key, ip), ended),
    counted: (principal, { ip, isRefused: refused, bytes: bytesIn }) => {
      const { id, orgId } = principal;
      const projectId = principal.kind === "credential" ? principal.projectId : null;
      const rest = { service: "telemetry", ip, userAgent: "syslog", refused, limited: refused } as const;
      const isPerson = principal.kind === "person";
      identity.activity.count({ id, orgId, isPerson, ...rest, projectId, bytesIn, bytesOut: 0 });
    },
  });
  if (Object.values(listeners).some((listener) => listener !== null)) readCounters(metrics, server);
  return server;
}

function readCounters(metrics: Metrics, server: SyslogServer): void {
  metrics.read("mooring_syslog_messages_total", () => {
    const counts = server.counts();
    return TRANSPORTS.flatMap((transport) =>
      RESULTS.map((result) => [{ transport, result }, counts[transport]?.[result] ?? 0] as const),
    );
  });
  metrics.read("mooring_syslog_udp_kernel_drops_total", () => server.kernelDrops());
}

/** Returns the bound addresses, for the operator. */
export function syslogAddresses({ tcp, tls, udp }: SyslogListeners): Partial<Record<SyslogTransport, string>> {
  return {
    ...(tcp === null ? {} : { tcp: tcp.address }),
    ...(tls === null ? {} : { tls: tls.address }),
    ...(udp === null ? {} : { udp: udp.address }),
  };
}
