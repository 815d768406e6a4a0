import type { Envelope } from "#domain/identity/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";

export interface S3Settings {
  /** Of an organization's objects and uploaded parts together, all versions; null: no limit. */
  readonly storedBytesMax: number | null;
  /** Slug of the organization whose buckets requests without a signature mean; null: the only one there is. */
  readonly publicOrganization: string | null;
}

export interface S3Deps {
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly envelope: Envelope;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  readonly settings: S3Settings;
}
