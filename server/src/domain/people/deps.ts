import type { Envelope, FailureDelay, Identity } from "#domain/identity/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Provider } from "./external/provider.ts";
import type { PortalAddress } from "./portal-address.ts";
import type { Throttle } from "./sign-in/throttle.ts";

export type { Origin } from "./origin.ts";

export interface PeopleDeps {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly envelope: Envelope;
  readonly portal: PortalAddress;
  readonly throttle: Throttle;
  /** Wrong codes of devices, by person. */
  readonly userCodes: Pick<FailureDelay, "check" | "fail">;
  readonly credentials: Identity["credentials"];
  readonly signIn: Pick<Identity["signIn"], "authenticatePersonal">;
  /** Null: people sign in only with the accounts of this server. */
  readonly provider: Provider | null;
  readonly refusals: Identity["refusals"];
}
