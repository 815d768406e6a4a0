import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { createIdempotency } from "#domain/idempotency/index.ts";
import { createIdentity, type Identity } from "#domain/identity/index.ts";
import { bootstrapOrganization, type Bootstrapped } from "#domain/organizations/index.ts";
import { createHttpHost, createHttpMetrics, createHttpServer, openListener } from "#http/index.ts";
import { systemClock, type Clock } from "#kernel/time.ts";
import { openMetadata, type MetadataStore } from "#stores/metadata/index.ts";
import { createPortalSurface } from "../index.ts";

/** One of them tries to leave the page's text. */
export const ADDRESSES = {
  identity_url: "https://id.example",
  ingest_url: "https://in.example",
  query_url: 'https://sql.example/"><script>alert(1)</script>',
  storage_url: "https://files.example",
  registry_domain: "registry.example",
  s3_endpoint: "https://s3.example",
  webhooks_url: "https://hooks.example",
  portal_url: "https://portal.example",
};

/** The surface on a real listener, over real records, with a log that can be read and a clock that can be set forward. */
export interface PortalServer {
  readonly url: string;
  readonly metadata: MetadataStore;
  readonly identity: Identity;
  readonly clock: Clock;
  log(): string;
  forward(ms: number): void;
  /** A new organization, whose owner has a set-up link. */
  found(): Promise<Bootstrapped>;
  close(): Promise<void>;
}

export async function startPortal(): Promise<PortalServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-portal-"));
  let aheadMs = 0;
  let organizations = 0;
  const clock = { nowMs: () => systemClock.nowMs() + aheadMs };
  const lines: string[] = [];
  const log = pino({ level: "trace" }, collector(lines));
  const metadata = await openMetadata({ url: undefined, dataDir, clock });
  const { identity_url: issuer } = ADDRESSES;
  const identity = await createIdentity({ metadata, clock, dataDir, issuer, audience: issuer, log });
  const listener = await openListener("127.0.0.1:0");
  const host = createHttpHost({
    authenticator: identity.authenticator,
    idempotency: createIdempotency({ metadata, clock }),
    clock,
    rateLimit: { perSecond: 1000, burst: 1000 },
  });
  const surfaces = [createPortalSurface({ host, identity, metadata, clock, addresses: ADDRESSES })];
  const metrics = createHttpMetrics();
  await createHttpServer({ listener, log, clock, metrics, surfaces, trustedProxies: [], slowRequestMs: 0 });
  return {
    url: `http://${listener.address}`,
    metadata,
    identity,
    clock,
    log: () => lines.join(""),
    forward: (ms) => void (aheadMs += ms),
    found: () =>
      bootstrapOrganization({ metadata, clock }, { org: `org-${++organizations}`, project: "web", app: "shop" }),
    close: async () => {
      await listener.stop(0);
      await identity.stop();
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

function collector(lines: string[]): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
}
