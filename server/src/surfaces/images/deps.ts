import type { GuardedClock } from "#kernel/deletions.ts";
import type { RegistryDeps } from "#domain/registry/index.ts";
import type { HttpHost } from "#http/index.ts";

export interface ImagesSurfaceDeps extends RegistryDeps {
  readonly clock: GuardedClock;
  readonly host: HttpHost;
}
