import { forwardingHandler, Waker } from "#domain/delivery/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import { EventFeed, Receiver, startTidying, tidyHandler, type WebhooksSettings } from "#domain/webhooks/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Jobs, Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import { createStreams, type WebhooksSurfaceDeps } from "#surfaces/webhooks/index.ts";
import type { Config } from "./config.ts";
import { outboundFor } from "./outbound.ts";
import { trashSettingsOf } from "./trash-settings.ts";

export interface Webhooks {
  /** Dependencies of the surface, except the conventions. */
  readonly deps: Omit<WebhooksSurfaceDeps, "host">;
  /** Starts to forward events, and to delete old ones. */
  start(): void;
  stop(): Promise<void>;
}

export function createWebhooks(options: {
  readonly config: Config;
  readonly webhooksUrl: string;
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  readonly clock: GuardedClock;
  readonly jobs: Jobs;
  readonly schedule: Schedule;
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly identity: Pick<Identity, "envelope">;
}): Webhooks {
  const { config, webhooksUrl, log, clock, jobs, schedule, metadata, objects } = options;
  const { envelope } = options.identity;
  const settings = webhooksSettingsOf(config);
  const feed = new EventFeed();
  const outbound = outboundFor("events", config, clock);
  const shared = { metadata, objects, envelope, clock, jobs, outbound };
  const waker = new Waker({ metadata, jobs, log, schedule });
  feed.onCommitted((webhookIds) => waker.committed(webhookIds));
  const receiver = new Receiver({ ...shared, feed, settings, log, schedule });
  const streams = createStreams({ metadata, feed, log, organizationMax: config.tail_concurrency_organization });
  const rate = { perSecond: settings.ratePerSecond, burst: settings.rateBurst };
  const { retentionDays } = settings;
  const handlers = [forwardingHandler({ ...shared, random: Math.random }), tidyHandler({ ...shared, retentionDays })];
  return {
    deps: { ...shared, trash: trashSettingsOf(config), receiver, feed, streams, webhooksUrl, rate, retentionDays },
    start: () => {
      jobs.start(handlers);
      waker.start();
      startTidying(metadata, jobs, clock.nowMs()).catch((error: unknown) =>
        log.warn({ err: error }, "cannot start to delete old events of webhooks"),
      );
    },
    stop: async () => {
      await receiver.stop();
      await waker.stop();
    },
  };
}

export function webhooksSettingsOf(config: Config): WebhooksSettings {
  return {
    ratePerSecond: config.webhook_rate_limit_per_second,
    rateBurst: config.webhook_rate_limit_burst,
    storedBytesMax: config.webhook_stored_bytes_max,
    retentionDays: config.webhook_retention_days,
  };
}
