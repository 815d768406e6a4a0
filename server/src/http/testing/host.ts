import { pino } from "pino";
import type { Scope } from "@mooring/contract";
import type { Principal } from "#domain/identity/index.ts";
import { Metrics } from "#kernel/metrics/index.ts";
import { Problem } from "#kernel/problem.ts";
import { systemClock } from "#kernel/time.ts";
import {
  createHttpHost,
  createHttpMetrics,
  createHttpServer,
  openListener,
  type HttpHost,
  type HttpServerOptions,
  type Listener,
  type ListenerOptions,
  type IdempotencyRecords,
  type RecordedAnswer,
  type Surface,
} from "../index.ts";

/** A real listener with the real conventions, for the tests of one surface. Only authentication is simulated. */
export interface TestServer {
  readonly url: string;
  readonly address: string;
  readonly listener: Listener;
  /** Waits up to `timeoutMs` for running requests; stops at once by default. */
  stop(timeoutMs?: number): Promise<void>;
}

/** `mount` gets the host and returns the surface. Tokens are the keys of `principals`; `away` simulates records that can't be read. */
export async function startTestServer(options: {
  readonly principals: Readonly<Record<string, Principal>>;
  readonly mount: (host: HttpHost) => Surface;
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
  readonly bodies?: HttpServerOptions["bodies"];
  readonly log?: HttpServerOptions["log"];
  readonly idempotency?: IdempotencyRecords;
  readonly listener?: ListenerOptions;
  readonly publicBodyTimeoutMs?: number;
}): Promise<TestServer> {
  const listener = await openListener("127.0.0.1:0", options.listener);
  const host = createHttpHost({
    authenticator: {
      authenticate: async (token) => {
        const principal = options.principals[token];
        if (principal !== undefined) return principal;
        if (token === "away") throw new Problem("unavailable", "The records can't be read.");
        throw new Problem("invalid_token", "The token is not known.");
      },
    },
    idempotency: options.idempotency ?? memoryRecords(),
    clock: systemClock,
    rateLimit: options.rateLimit ?? { perSecond: 1000, burst: 1000 },
  });
  await serveSurface(listener, options.mount(host), {
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.publicBodyTimeoutMs === undefined ? {} : { publicBodyTimeoutMs: options.publicBodyTimeoutMs }),
    ...(options.bodies === undefined ? {} : { bodies: options.bodies }),
  });
  return {
    url: `http://${listener.address}`,
    address: listener.address,
    listener,
    stop: (timeoutMs = 0) => listener.stop(timeoutMs),
  };
}

/** Serves the surface with the real conventions. */
export async function serveSurface(
  listener: Listener,
  surface: Surface,
  options: Partial<HttpServerOptions> = {},
): Promise<void> {
  await createHttpServer({
    listener,
    log: pino({ level: "silent" }),
    clock: systemClock,
    metrics: createHttpMetrics(new Metrics()),
    trustedProxies: [],
    slowRequestMs: 60_000,
    surfaces: [surface],
    ...options,
  });
}

/** Creates records in memory. Other tests check the real records. */
function memoryRecords(): IdempotencyRecords {
  const answers = new Map<string, RecordedAnswer>();
  return {
    begin: async (keyHash) => {
      const answer = answers.get(keyHash);
      return answer === undefined ? { claim: { keyHash, owner: "" } } : { answer };
    },
    during: async (_claim, _status, run) => run(),
    complete: async ({ keyHash }, answer) => void answers.set(keyHash, { ...answer, whole: null }),
    abandon: async ({ keyHash }) => void answers.delete(keyHash),
    leaving: async () => {},
  };
}

export function credentialOf(orgId: string, scopes: readonly Scope[], projectId: string | null = null): Principal {
  return {
    kind: "credential",
    id: `cred_${orgId}`,
    clientId: `mrc_${orgId}`,
    orgId,
    orgSlug: orgId,
    organization: { state: "active", reason: null },
    projectId,
    scopes: new Set(scopes),
  };
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
