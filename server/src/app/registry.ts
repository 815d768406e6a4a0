import type { Identity } from "#domain/identity/index.ts";
import {
  createManifestReader,
  createRegistryTokens,
  createSessions,
  Pulls,
  RunningDigests,
  startCollection,
  type RegistrySettings,
} from "#domain/registry/index.ts";
import { Reservations } from "#kernel/reservations.ts";
import { Pace } from "#kernel/pace.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import { Writers, type RegistrySurfaceDeps } from "#surfaces/registry/index.ts";
import type { Addresses } from "./addresses.ts";
import type { Config } from "./config.ts";
import { trashSettingsOf } from "./trash-settings.ts";

export interface RegistryPart {
  /** Dependencies of the surface, except the conventions. */
  readonly deps: Omit<RegistrySurfaceDeps, "host">;
  /** Counts an answered request of another surface, by the path of its route. */
  noteAnswered(path: string): void;
  /** Starts to delete content that no manifest needs. */
  start(): void;
  stop(): Promise<void>;
}

export function createRegistry(options: {
  readonly config: Config;
  readonly addresses: Pick<Addresses, "registry_domain" | "identity_url">;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  readonly clock: GuardedClock;
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly identity: Identity;
  readonly schedule: Schedule;
}): RegistryPart {
  const { config, addresses, log, clock, metadata, objects, identity, schedule } = options;
  const { envelope } = identity;
  const { registry_domain: domain } = addresses;
  const pace = new Pace({
    bytesPerSecond: config.registry_push_bytes_per_second,
    nowMs: () => performance.now(),
  });
  const pulls = new Pulls({ metadata, clock, log, schedule });
  const manifests = createManifestReader();
  const deps = {
    metadata,
    objects,
    clock,
    identity,
    pulls,
    manifests,
    settings: registrySettingsOf(config),
    trash: trashSettingsOf(config),
    tokens: createRegistryTokens({ envelope, clock, service: domain }),
    sessions: createSessions(envelope),
    running: new RunningDigests(),
    writers: new Writers(),
    reservations: new Reservations(),
    domain,
    domainIsSet: config.registry_domain !== null,
    isSecure: addresses.identity_url.startsWith("https:"),
    uploadIdleTimeoutMs: config.upload_idle_timeout_ms,
    pace,
  };
  let collection: ScheduledWork | undefined;
  return {
    deps,
    noteAnswered: (path) => {
      if (!path.startsWith("/v2")) pace.noteOther();
    },
    start: () => {
      collection = startCollection({ ...deps, log, schedule }, config.registry_collect_ms);
    },
    stop: async () => {
      await collection?.stop();
      await pulls.stop();
      await manifests.close();
    },
  };
}

export function registrySettingsOf(config: Config): RegistrySettings {
  return {
    blobBytesMax: config.registry_blob_bytes_max,
    storedBytesMax: config.registry_stored_bytes_max,
    uploadLifetimeMs: config.registry_upload_lifetime_s * 1000,
    leaseMs: config.registry_lease_ms,
  };
}
