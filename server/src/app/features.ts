import type { FastifyBaseLogger } from "fastify";
import type { Identity } from "#domain/identity/index.ts";
import { RuleCounter, RuleSets } from "#domain/ingest-rules/index.ts";
import { PublishedQueries } from "#domain/queries/index.ts";
import { RefusedEntries } from "#domain/refused-entries/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { Jobs, Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import { createEncoderPool, createTails } from "#surfaces/telemetry/index.ts";
import type { Addresses } from "./addresses.ts";
import { createAlerts } from "./alerts.ts";
import type { Config } from "./config.ts";
import { freeBytesOf } from "./disk.ts";
import { createFiles } from "./files.ts";
import { createMail } from "./mail.ts";
import type { Phases } from "./phases.ts";
import { createRegistry } from "./registry.ts";
import type { SurfaceParts } from "./surfaces.ts";
import { createWebhooks } from "./webhooks.ts";

interface FeatureParts {
  readonly config: Config;
  readonly log: FastifyBaseLogger;
  readonly clock: GuardedClock;
  readonly addresses: Addresses;
  readonly identity: Identity;
  readonly metadata: MetadataStore;
  readonly telemetry: TelemetryStore;
  readonly objects: ObjectStore;
  readonly phases: Phases;
  readonly jobs: Jobs;
  readonly schedule: Schedule;
  readonly metrics: Metrics;
}

/** Builds the parts that surfaces need in addition to the stores. Their background work starts later, with `start`. */
export function startFeatures(
  parts: FeatureParts,
): Pick<
  SurfaceParts,
  "encoders" | "rules" | "refused" | "tails" | "alerts" | "files" | "mail" | "registry" | "webhooks"
> {
  const { config, log, clock, addresses, identity, metadata, telemetry, objects, phases, jobs, schedule } = parts;
  const { metrics } = parts;
  const encoders = phases.started("encoders", createEncoderPool({ workers: config.ingest_workers }), (part) =>
    part.close(),
  );
  const counter = phases.started("ingest rules", new RuleCounter({ metadata, clock, log, schedule }), (part) =>
    part.stop(),
  );
  const refused = phases.started(
    "refused entries",
    new RefusedEntries({ metadata, clock, log, schedule, metrics }),
    (part) => part.stop(),
  );
  const rules = { sets: new RuleSets(metadata, identity.feed), counter };
  const published = { metadata, clock, log, schedule, queries: telemetry.queries, nodeId: identity.feed.nodeId };
  phases.started("running queries", new PublishedQueries(published), (part) => part.stop());
  const { feed } = telemetry;
  const tails = createTails({ feed, clock, log, organizationMax: config.tail_concurrency_organization });
  const alerts = createAlerts({ config, clock, jobs, metadata, telemetry, identity });
  const { storage_url: storageUrl } = addresses;
  const files = phases.started("files", createFiles({ ...parts, storageUrl, freeBytes: freeBytesOf(config) }), (part) =>
    part.stop(),
  );
  const registry = phases.started(
    "registry",
    createRegistry({ config, addresses, log, clock, metadata, objects, identity, schedule }),
    (part) => part.stop(),
  );
  const { webhooks_url: webhooksUrl } = addresses;
  const webhooks = phases.started(
    "webhooks",
    createWebhooks({ config, webhooksUrl, log, clock, jobs, schedule, metadata, objects, identity }),
    (part) => part.stop(),
  );
  const mail = createMail({ config, metadata, clock, jobs, identity, log });
  return { encoders, rules, refused, tails, alerts, files, mail, registry, webhooks };
}
