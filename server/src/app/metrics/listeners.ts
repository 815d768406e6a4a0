import type { Listener } from "#http/index.ts";
import type { LabelsOf, Metrics } from "#kernel/metrics/index.ts";

type Name = LabelsOf<"mooring_http_connections">["listener"];

/** Lets each scrape read the connections of the listeners, and counts those that were refused. */
export function readListeners(
  metrics: Metrics,
  listeners: readonly (readonly [Name, Pick<Listener, "server">])[],
): void {
  const refused = metrics.counter("mooring_http_connections_refused_total");
  for (const [listener, { server }] of listeners) {
    server.on("drop", () => refused.inc({ listener }));
    metrics.read("mooring_http_connections", async () => [[{ listener }, await connectionsOf(server)] as const]);
    metrics.read("mooring_http_connections_max", () => [[{ listener }, server.maxConnections] as const]);
  }
}

function connectionsOf(server: Listener["server"]): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
