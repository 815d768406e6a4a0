import type { Envelope, Identity } from "#domain/identity/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Reservations } from "#kernel/reservations.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { Outbound } from "#stores/outbound/index.ts";

export interface S3Settings {
  /** The most bytes of an organization's objects and uploaded parts, all versions; null: no limit. */
  readonly storedBytesMax: number | null;
  /** Slug of the organization whose buckets requests without a signature mean; null: the oldest. */
  readonly publicOrganization: string | null;
  /** The region in events. */
  readonly region: string;
  /** How often the rules of a bucket are followed. */
  readonly lifecycleEveryMs: number;
  /** How long a day of these rules is. */
  readonly lifecycleDayMs: number;
}

export interface S3Deps {
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly clock: GuardedClock;
  readonly envelope: Envelope;
  /** Gets the uses of keys. */
  readonly usage: Identity["usage"];
  readonly jobs: Jobs;
  readonly outbound: Outbound;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  readonly settings: S3Settings;
  /** Reservations of running uploads in the quotas of organizations. */
  readonly reservations: Reservations;
}
