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
import type { HttpHost } from "#http/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Reservations } from "#kernel/reservations.ts";
import type { ChallengeDeps } from "./challenge.ts";
import type { Writers } from "./writers.ts";

export interface RegistrySurfaceDeps extends UploadDeps, ChallengeDeps {
  readonly host: HttpHost;
  readonly identity: Pick<Identity, "present" | "signIn" | "tokens">;
  readonly tokens: RegistryTokens;
  readonly sessions: Sessions;
  readonly running: RunningDigests;
  readonly manifests: ManifestReader;
  readonly pulls: Pulls;
  readonly writers: Writers;
  /** What pushes under way will take of the quotas of organizations. */
  readonly reservations: Reservations;
  /** An upload from which nothing comes for so long is ended. */
  readonly uploadIdleTimeoutMs: number;
  /** Lets pushes give way to other requests. */
  readonly pace: { waitMs(bytes: number): number };
}

export interface ImagesSurfaceDeps extends RegistryDeps {
  readonly clock: GuardedClock;
  readonly host: HttpHost;
}
