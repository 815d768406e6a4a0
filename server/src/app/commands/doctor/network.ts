import { createServer } from "node:net";
import { isoFromMs, systemClock } from "#kernel/time.ts";
import { addressesOf, isLoopback } from "../../addresses.ts";
import { probe } from "../../running.ts";
import { SETTINGS } from "../../settings.ts";
import { dateFaultOf, readCertificate, tlsFilesOf } from "../../tls/index.ts";
import { fail, ok, warn, type Check, type CheckContext, type Found } from "./finding.ts";

const PROBE_TIMEOUT_MS = 3000;
const URL_SETTINGS = [
  "portal_url",
  "identity_url",
  "ingest_url",
  "query_url",
  "storage_url",
  "s3_endpoint",
  "webhooks_url",
] as const;

/** The addresses whose ports the check tries to bind. */
const ADDRESSES = ["listen", "metrics_listen", "otlp_grpc_listen"] as const;

/** Checks the listening addresses and the published addresses. */
export const NETWORK_CHECKS: readonly Check[] = [
  {
    name: "server",
    mend: "read its log, and restart it",
    run: async ({ running }) => [await serverHealth(running)],
  },
  {
    name: "listen",
    mend: "set the addresses to addresses of this machine",
    run: async (context) => Promise.all(ADDRESSES.map((name) => listening(context, name))),
  },
  {
    name: "certificates",
    mend: "set tls_cert and tls_key, or s3_tls_cert and s3_tls_key, to a certificate and its key",
    run: async ({ config }) => (["listen", "s3_listen"] as const).flatMap((address) => certificate(config, address)),
  },
  { name: "addresses", mend: "correct the public addresses", run: publicAddresses },
];

async function serverHealth(running: CheckContext["running"]): Promise<Found> {
  if (running === null) return ok("none runs on this data directory");
  try {
    const { status, text } = await probe(running, "/health", PROBE_TIMEOUT_MS);
    const body = JSON.parse(text) as { status: string; checks: Record<string, string> };
    const failed = Object.entries(body.checks).filter(([, state]) => state !== "ok");
    if (status === 200) return ok(`pid ${running.pid} listens on ${running.listen} and is healthy`);
    return fail(
      `pid ${running.pid} is not healthy: ${failed.map(([name]) => name).join(", ")}`,
      "read its log; the checks below may show the cause",
    );
  } catch (error) {
    return fail(`pid ${running.pid} does not answer: ${(error as Error).message}`, "read its log, and restart it");
  }
}

type Address = (typeof ADDRESSES)[number];

async function listening({ config, running }: CheckContext, name: Address): Promise<Found> {
  const address = config[name];
  if (address === "off") return ok(`${name} is off`);
  const taken = await bindError(address);
  if (taken === null) return ok(`${name} ${address} is free`);
  if (taken === "EADDRINUSE" && running !== null)
    return ok(`${name} ${address} is in use, probably by the running server`);
  if (taken === "EADDRINUSE" && name === "otlp_grpc_listen" && address === SETTINGS[name].default)
    return warn(
      `${name} ${address} is in use by another process, so the server starts without OTLP/gRPC`,
      "set otlp_grpc_listen to another address, or to off",
    );
  if (taken === "EADDRINUSE")
    return fail(
      `${name} ${address} is in use by another process`,
      `stop that process, or set ${name} to another address`,
    );
  if (taken === "EACCES")
    return fail(`${name} ${address} needs permissions that this user lacks`, "choose a port above 1023");
  return fail(`${name} ${address} can't be bound: ${taken}`, `set ${name} to an address of this machine`);
}

function certificate(config: CheckContext["config"], address: "listen" | "s3_listen"): Found[] {
  const files = tlsFilesOf(config, address);
  if (files === undefined) return [ok(`${address} has no TLS`)];
  const found = readCertificate(files);
  const fault = dateFaultOf(found, systemClock.nowMs());
  const detail = `${address}: ${found.names}, until ${isoFromMs(found.validToMs)}`;
  if (fault === undefined) return [ok(detail)];
  const mend = `renew it and replace ${files.cert}; a running server uses the new one without a restart`;
  return [
    found.validToMs <= systemClock.nowMs() ? fail(`${detail}: ${fault}`, mend) : warn(`${detail}: ${fault}`, mend),
  ];
}

function bindError(address: string): Promise<string | null> {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port: Number(address.slice(colon + 1)), exclusive: true }, () =>
      server.close(() => resolve(null)),
    );
  });
}

async function publicAddresses({ config, running }: CheckContext): Promise<Found[]> {
  const addresses = running?.addresses ?? addressesOf(config, { listen: config.listen, s3Listen: config.s3_listen });
  const urls = URL_SETTINGS.map((name) => [name, addresses[name]] as const);
  const everywhere = urls.filter(([, url]) => /^https?:\/\/(?:0\.0\.0\.0|\[::\])(?::|\/|$)/.test(url));
  if (everywhere.length > 0) {
    return [
      fail(
        `${listOf(everywhere)} would send clients to ${everywhere[0]?.[1] ?? ""}`,
        "set each to the address that clients use, https://…",
      ),
    ];
  }
  const plain = urls.filter(([, url]) => url.startsWith("http:") && !isLoopback(new URL(url).hostname));
  const findings =
    plain.length === 0
      ? []
      : [
          warn(
            `${listOf(plain)} without TLS: others on the network can read tokens and secrets`,
            "put a TLS proxy in front of it and set https:// addresses, or set tls_cert and tls_key",
          ),
        ];
  if (running !== null && config.identity_url !== null) findings.push(await reaches(addresses.identity_url));
  return findings.length === 0
    ? [ok(urls.every(([, url]) => isLoopback(new URL(url).hostname)) ? "on this machine only" : "over TLS")]
    : findings;
}

async function reaches(url: string): Promise<Found> {
  try {
    const response = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    if (response.ok) return ok(`${url} reaches the server`);
    return warn(`${url}/livez answered ${response.status}`, "check the proxy in front of it");
  } catch (error) {
    return warn(
      `${url} can't be reached from here: ${(error as Error).message}`,
      "check DNS, the proxy and its certificate",
    );
  }
}

function listOf(urls: readonly (readonly [string, string])[]): string {
  return urls.map(([name]) => name).join(", ");
}
