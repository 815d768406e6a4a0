import { createS3, type S3 } from "#domain/s3/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import { createRateLimiter, type Surface } from "#http/index.ts";
import { Reservations } from "#kernel/reservations.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import {
  createDocumentReader,
  createS3Gateway,
  createS3Surface,
  presignedTarget,
  type DocumentReader,
  type GatewayLink,
  type S3Gateway,
} from "#surfaces/s3/index.ts";
import type { Config } from "./config.ts";
import { outboundFor } from "./outbound.ts";

type Log = {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  debug(fields: object, message: string): void;
};

export interface S3Parts {
  readonly config: Config;
  readonly endpoint: string;
  readonly log: Log;
  readonly clock: GuardedClock;
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly identity: Pick<Identity, "envelope" | "usage">;
}

/** A client must wait after this many wrong signatures. Clients with a wrong clock or secret send many by mistake. */
const FAILED_SIGNATURES_MAX = 100;

/** Creates the part of the gateway that does not depend on HTTP. */
export function createS3Domain(parts: Omit<S3Parts, "endpoint"> & { readonly jobs: Jobs }): S3 {
  const { config, log, clock, jobs, metadata, objects, identity } = parts;
  const settings = {
    storedBytesMax: config.s3_stored_bytes_max,
    publicOrganization: config.s3_public_organization,
    region: config.s3_region,
    lifecycleEveryMs: config.s3_lifecycle_interval_ms,
    lifecycleDayMs: config.s3_lifecycle_day_ms,
  };
  const { envelope, usage } = identity;
  const outbound = outboundFor("messages", config, clock);
  const reservations = new Reservations();
  return createS3({ metadata, objects, clock, envelope, usage, jobs, outbound, log, settings, reservations });
}

/** The gateway. It answers the requests of its listener and of the API. */
export interface S3Part extends GatewayLink {
  /** The surface of its listener. */
  readonly surface: Surface;
  stop(): Promise<void>;
}

export function createS3Part(parts: S3Parts, domain: S3): S3Part {
  const { config, endpoint } = parts;
  const documents = createDocumentReader();
  const gateway = createGateway(parts, domain, documents);
  const place = { host: new URL(endpoint).host, region: config.s3_region };
  return {
    endpoint,
    presign: (request) => presignedTarget(place, request),
    handle: (request, reply) => gateway.handle(request, reply),
    surface: createS3Surface(gateway),
    stop: () => documents.close(),
  };
}

function createGateway(parts: S3Parts, domain: S3, documents: DocumentReader): S3Gateway {
  const { config, endpoint, log, clock, objects, identity } = parts;
  const rate = { perSecond: config.rate_limit_per_second, burst: config.rate_limit_burst };
  const limiter = createRateLimiter({ name: "key", ...rate, clock });
  return createS3Gateway({
    domain,
    objects,
    clock,
    envelope: identity.envelope,
    log,
    documents,
    count: (whose) => void limiter.take(whose),
    settings: {
      endpoint,
      domain: config.s3_domain,
      region: config.s3_region,
      signatureV2: config.s3_signature_v2,
      uploadIdleTimeoutMs: config.upload_idle_timeout_ms,
      trustedProxies: config.trusted_proxies,
      failedSignaturesMax: FAILED_SIGNATURES_MAX,
    },
  });
}
