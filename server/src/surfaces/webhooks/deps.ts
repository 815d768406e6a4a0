import type { ForwardingDeps } from "#domain/delivery/index.ts";
import type { EventFeed, Receiver } from "#domain/webhooks/index.ts";
import type { HttpHost } from "#http/index.ts";
import type { Streams } from "./stream/types.ts";

export interface WebhooksSurfaceDeps extends ForwardingDeps {
  readonly host: HttpHost;
  readonly receiver: Receiver;
  readonly feed: EventFeed;
  readonly streams: Streams;
  /** Where senders reach this server. */
  readonly webhooksUrl: string;
  /** How long events are kept when nobody says otherwise. */
  readonly retentionDays: number;
  /** Requests of one webhook, sustained a second and at once. */
  readonly rate: { readonly perSecond: number; readonly burst: number };
}
