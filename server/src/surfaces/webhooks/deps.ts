import type { WEBHOOK_ROUTES } from "@mooring/contract";
import type { ForwardingDeps } from "#domain/delivery/index.ts";
import type { EventFeed, Receiver } from "#domain/webhooks/index.ts";
import type { TrashDeps } from "#domain/trash/index.ts";
import type { HttpHost, Operation } from "#http/index.ts";
import type { Streams } from "./stream/types.ts";

export interface WebhooksSurfaceDeps extends ForwardingDeps, TrashDeps {
  readonly host: HttpHost;
  readonly receiver: Receiver;
  readonly feed: EventFeed;
  readonly streams: Streams;
  /** The public address for senders. */
  readonly webhooksUrl: string;
  /** The default retention of events, in days. */
  readonly retentionDays: number;
  /** The rate limit of one webhook: sustained requests a second, and a burst. */
  readonly rate: { readonly perSecond: number; readonly burst: number };
}

export type WebhookOperation<Name extends keyof typeof WEBHOOK_ROUTES> = Operation<
  WebhooksSurfaceDeps,
  (typeof WEBHOOK_ROUTES)[Name]
>;
