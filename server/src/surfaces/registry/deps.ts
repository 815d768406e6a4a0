import type { REGISTRY_API_ROUTES } from "@mooring/contract";
import type { Identity } from "#domain/identity/index.ts";
import type {
  ManifestReader,
  Pulls,
  RegistryDeps,
  RegistryTokens,
  RunningDigests,
  Sessions,
  UploadDeps,
} from "#domain/registry/index.ts";
import type { TrashDeps } from "#domain/trash/index.ts";
import type { HttpHost, Operation } from "#http/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Reservations } from "#kernel/reservations.ts";
import type { ChallengeDeps } from "./challenge.ts";
import type { Writers } from "./writers.ts";

export interface RegistrySurfaceDeps extends UploadDeps, ChallengeDeps, TrashDeps {
  readonly host: HttpHost;
  readonly identity: Pick<Identity, "present" | "signIn" | "tokens">;
  readonly tokens: RegistryTokens;
  readonly sessions: Sessions;
  readonly running: RunningDigests;
  readonly manifests: ManifestReader;
  readonly pulls: Pulls;
  readonly writers: Writers;
  /** The quotas that running pushes have reserved. */
  readonly reservations: Reservations;
  /** An upload that receives no byte for this time is ended. */
  readonly uploadIdleTimeoutMs: number;
  /** Slows pushes down in favour of other requests. */
  readonly pace: { waitMs(bytes: number): number };
}

export interface ImagesSurfaceDeps extends RegistryDeps, TrashDeps {
  readonly clock: GuardedClock;
  readonly host: HttpHost;
}

export type ImageOperation<Name extends keyof typeof REGISTRY_API_ROUTES> = Operation<
  ImagesSurfaceDeps,
  (typeof REGISTRY_API_ROUTES)[Name]
>;
