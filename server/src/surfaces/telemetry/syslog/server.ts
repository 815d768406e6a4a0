import { Connections } from "./connections.ts";
import { kernelDrops, type SyslogCounts } from "./counts.ts";
import { Datagrams } from "./datagrams.ts";
import { Intake, type IntakeDeps } from "./intake.ts";
import type { DatagramListener, StreamListener } from "./listeners.ts";

export interface SyslogListeners {
  readonly tcp: StreamListener | null;
  readonly tls: StreamListener | null;
  readonly udp: DatagramListener | null;
}

export type SyslogTransport = keyof SyslogListeners;

/** Syslog as a service: the listeners are bound before, and serve from now on. */
export interface SyslogServer {
  counts(): Readonly<Partial<Record<SyslogTransport, SyslogCounts>>>;
  /** Datagrams that the kernel has dropped, because they were not read in time. */
  kernelDrops(): number;
  /** Accepts no more, stores what has arrived, and closes the connections. */
  stop(timeoutMs: number): Promise<void>;
}

export function createSyslogServer({ tcp, tls, udp }: SyslogListeners, deps: IntakeDeps): SyslogServer {
  const intake = new Intake(deps);
  const streams = { tcp: new Connections(intake, deps.log), tls: new Connections(intake, deps.log) };
  const datagrams = new Datagrams(intake, deps.log);
  tcp?.serve((socket) => streams.tcp.accept(socket));
  tls?.serve((socket) => streams.tls.accept(socket));
  udp?.serve((bytes, peer) => datagrams.accept(bytes, peer));
  return {
    counts: () => ({
      ...(tcp === null ? {} : { tcp: streams.tcp.counts }),
      ...(tls === null ? {} : { tls: streams.tls.counts }),
      ...(udp === null ? {} : { udp: datagrams.counts }),
    }),
    kernelDrops: () => (udp === null ? 0 : kernelDrops(udp.address)),
    stop: async (timeoutMs) => {
      tcp?.close();
      tls?.close();
      await Promise.all([streams.tcp.stop(timeoutMs), streams.tls.stop(timeoutMs), udp?.close()]);
      await datagrams.stop();
    },
  };
}
