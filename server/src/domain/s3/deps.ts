import type { Envelope, Identity } from "#domain/identity/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Reservations } from "#kernel/reservations.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { Outbound } from "#stores/outbound/index.ts";

export interface S3Settings {
  /** The most bytes of an organization's objects (all versions) and uploaded parts; null: no limit. */
  readonly storedBytesMax: number | null;
  /** Slug of the organization whose buckets unsigned requests reach; null: the oldest organization. */
  readonly publicOrganization: string | null;
  /** The region in events. */
  readonly region: string;
  /** How often the lifecycle rules of a bucket are applied. */
  readonly lifecycleEveryMs: number;
  /** Length of a day in these rules. */
  readonly lifecycleDayMs: number;
}

export interface S3Deps {
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly clock: GuardedClock;
  readonly envelope: Envelope;
  /** Records when keys are used. */
  readonly usage: Identity["usage"];
  readonly jobs: Jobs;
  readonly outbound: Outbound;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  readonly settings: S3Settings;
  /** Quota that running uploads have reserved. */
  readonly reservations: Reservations;
}
