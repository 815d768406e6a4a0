import type { WebhookScheme } from "@mooring/contract";
import type { Envelope } from "#domain/identity/index.ts";
import type { ProjectColumns } from "#domain/projects/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Tables } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";

export type WebhookRow = Tables["webhook"];
export type UrlRow = Tables["webhook_url"];
export type EventRow = Tables["webhook_event"];
export type RejectionRow = Tables["webhook_rejection"];

/** A webhook with the columns of its project that decide who may see it. */
export type Webhook = WebhookRow & ProjectColumns;

export type Scheme = WebhookScheme;

export interface Verification {
  readonly scheme: Scheme;
  /** The field that holds the signature (`hmac`) or the key (`header`). */
  readonly header?: string;
  readonly algorithm?: "sha1" | "sha256" | "sha512";
  readonly encoding?: "hex" | "base64";
  /** The text before the signature in the field. */
  readonly prefix?: string;
  /** The largest difference between the signed time and now, in seconds. */
  readonly tolerance_s?: number;
  /** The audience that the sender's token must have. */
  readonly audience?: string;
}

export const HANDSHAKES = ["slack", "meta", "microsoft_graph", "cloudevents"] as const;
export type Handshake = (typeof HANDSHAKES)[number];

/** The place of a sender's name for an event. `auto`: the place that the scheme defines. */
export interface Deduplication {
  readonly by: "auto" | "header" | "pointer" | "none";
  readonly name?: string;
  readonly window_s?: number;
}

/** A fixed answer to senders. Without it, the answer has the event's id. */
export interface StaticResponse {
  readonly status: number;
  readonly content_type: string;
  readonly body: string;
}

export interface WebhookSettings {
  readonly verification: Verification;
  /** Addresses or blocks that may send; empty: all may. */
  readonly allowed_ips: readonly string[];
  readonly handshakes: readonly Handshake[];
  readonly deduplication: Deduplication;
  readonly response: StaticResponse | null;
}

export const DEFAULT_SETTINGS: WebhookSettings = {
  verification: { scheme: "none" },
  allowed_ips: [],
  handshakes: [],
  deduplication: { by: "auto" },
  response: null,
};

/** The secrets of a webhook's verification. They are encrypted in the records. */
export interface WebhookSecrets {
  readonly secret: string | null;
  /** The previous secret. It is valid until `previous_until`. */
  readonly previous: string | null;
  readonly previous_until: number | null;
  /** The token that Meta sends when it verifies the address. */
  readonly verify_token: string | null;
}

/** Limits that operators set. */
export interface WebhooksSettings {
  readonly ratePerSecond: number;
  readonly rateBurst: number;
  /** Null: no limit. */
  readonly storedBytesMax: number | null;
  readonly retentionDays: number;
}

export interface WebhooksDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly envelope: Envelope;
}

export interface EventsDeps extends WebhooksDeps {
  readonly objects: ObjectStore;
}
