import type { GuardedClock } from "#kernel/deletions.ts";
import type { ProjectState, Resource, Visibility } from "#domain/projects/index.ts";
import type { Suspension } from "#domain/suspension/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Tables } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";

/** The subject of an access decision: a repository by its name, or the list of repositories (`registry`, `catalog`). */
export interface Subject {
  readonly type: "repository" | "registry";
  readonly name: string;
}

export interface RegistrySettings {
  /** The largest blob. */
  readonly blobBytesMax: number;
  /** The quota of organizations without their own one. Null: no limit. */
  readonly storedBytesMax: number | null;
  /** Counted from the last received byte. */
  readonly uploadLifetimeMs: number;
  /** How long pushed or requested content stays if nothing needs it yet. */
  readonly leaseMs: number;
}

export interface RegistryDeps {
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly settings: RegistrySettings;
}

/** The dependencies of deletions, which may run beside a running server. */
export type RemovalDeps = Omit<RegistryDeps, "objects"> & { readonly objects: Pick<ObjectStore, "unlink"> };

/** The same for deletions by time, with a clock that knows whether it can be trusted. */
export type TimedRemovalDeps = RemovalDeps & { readonly clock: GuardedClock };

/** An app as a repository. */
export interface Repository {
  /** The app's id. */
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly orgSlug: string;
  readonly appSlug: string;
  readonly visibility: Visibility;
  readonly projectState: ProjectState;
  readonly isPublic: boolean;
  readonly immutableTags: readonly string[];
}

/** A repository that a request names, with the state of its organization. */
export interface NamedRepository extends Repository {
  readonly organization: Suspension;
}

/**
 * The owner of all content of images in the object store. It is not an organization, so that equal content is stored
 * once for all organizations. Only the rows of repositories decide who may read it.
 */
export const CONTENT_OWNER = "registry";

export type Action = "pull" | "push" | "delete";

export type BlobRow = Tables["registry_blob"];
export type ManifestRow = Tables["registry_manifest"];
export type TagRow = Tables["registry_tag"];
export type UploadRow = Tables["registry_upload"];
export type UploadPartRow = Tables["registry_upload_part"];
export type ReferenceRow = Tables["registry_reference"];

export function nameOf({ orgSlug, appSlug }: Pick<Repository, "orgSlug" | "appSlug">): string {
  return `orgs/${orgSlug}/${appSlug}`;
}

export function resourceOf({ id, orgId, projectId, visibility, projectState }: Repository): Resource {
  const project = { id: projectId, visibility, state: projectState };
  return { orgId, project, item: { kind: "repositories", id } };
}
