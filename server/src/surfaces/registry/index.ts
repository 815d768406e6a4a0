import type { Identity } from "#domain/identity/index.ts";
import type {
  ManifestReader,
  Pulls,
  RegistryTokens,
  RunningDigests,
  Sessions,
  UploadDeps,
} from "#domain/registry/index.ts";
import type { ErrorForm, HttpHost, Surface } from "#http/index.ts";
import type { ChallengeDeps } from "./challenge.ts";
import type { Reservations } from "#kernel/reservations.ts";
import { renderError, sendError } from "./errors.ts";
import { methodsOf, mountRegistry } from "./routes.ts";
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

export { Writers } from "./writers.ts";

/** Everything below `/v2` is refused in the form of the distribution specification. */
const ERRORS: ErrorForm = {
  covers: (path) => path === "/v2" || path.startsWith("/v2/"),
  methodsOf,
  send: sendError,
  render: renderError,
};

/** Container images, by the distribution specification of OCI and Docker's registry interface. */
export function createRegistrySurface(deps: RegistrySurfaceDeps): Surface {
  return { name: "registry", mount: (app) => mountRegistry(app, deps), errors: ERRORS };
}
