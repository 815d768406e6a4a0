import { Counter, type Registry } from "prom-client";
import type { FastifyBaseLogger } from "fastify";
import type { Identity } from "#domain/identity/index.ts";
import { UTC, zoneOf } from "#domain/telemetry/text/index.ts";
import { newId } from "#kernel/ids.ts";
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
  readonly registry: Registry;
  readonly rules: IngestRuleParts;
}

/** Serves the bound addresses. */
export function startSyslog(listeners: SyslogListeners, parts: SyslogParts): SyslogServer {
  const { config, log, clock, identity, telemetry, registry, rules } = parts;
  const shown = (secret: string, ip: string) => ({ secret, ip, requestId: newId("req", clock.nowMs()) });
  const server = createSyslogServer(listeners, {
    store: telemetry,
    rules,
    clock,
    log,
    key: config.syslog_key,
    zone: zoneOf(config.syslog_timezone) ?? UTC,
    authenticate: (key, ip) => identity.senders.authenticate(shown(key, ip)),
    watch: (key, ip, ended) => identity.senders.watch(shown(key, ip), ended),
    counted: ({ id, orgId, kind }, ip, refused) => {
      const rest = { service: "telemetry", ip, userAgent: "syslog", refused, limited: refused } as const;
      identity.activity.count({ id, orgId, isPerson: kind === "person", ...rest });
    },
  });
  if (Object.values(listeners).some((listener) => listener !== null)) registerCounters(registry, server);
  return server;
}

function registerCounters(registry: Registry, server: SyslogServer): void {
  new Counter({
    name: "mooring_syslog_messages_total",
    help: "Messages of syslog, by transport and result. Dropped datagrams could not be stored in time.",
    labelNames: ["transport", "result"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [transport, counts] of Object.entries(server.counts()))
        for (const [result, count] of Object.entries(counts)) this.inc({ transport, result }, Number(count));
    },
  });
  new Counter({
    name: "mooring_syslog_udp_kernel_drops_total",
    help: "Datagrams that the kernel dropped, because the receive buffer was full.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(server.kernelDrops());
    },
  });
}

/** Returns the bound addresses, for the operator. */
export function syslogAddresses({ tcp, tls, udp }: SyslogListeners): Partial<Record<SyslogTransport, string>> {
  return {
    ...(tcp === null ? {} : { tcp: tcp.address }),
    ...(tls === null ? {} : { tls: tls.address }),
    ...(udp === null ? {} : { udp: udp.address }),
  };
}
