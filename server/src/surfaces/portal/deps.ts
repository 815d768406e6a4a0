import type { OperatorCaller, StateChange } from "#domain/operator/index.ts";
import type { ResultOf, DISCOVERY_ROUTES, PORTAL_ROUTES } from "@mooring/contract";
import type { Identity } from "#domain/identity/index.ts";
import type { PeopleDeps, PersonDeletion } from "#domain/people/index.ts";
import type { HttpHost, Operation } from "#http/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { Mails } from "#domain/mail/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { InstanceBackups, InstanceFacts, InstanceRestores } from "./instance.ts";

export interface PortalSurfaceDeps {
  readonly host: HttpHost;
  readonly identity: Pick<Identity, "credentials" | "envelope" | "feed" | "issuer" | "keys" | "retireKeyNow">;
  readonly instance: InstanceFacts;
  readonly backups: InstanceBackups;
  readonly restores: InstanceRestores;
  readonly leaving: {
    deletePerson(deletion: PersonDeletion): Promise<void>;
    deleteOrganization(by: OperatorCaller, orgId: string): Promise<StateChange>;
    keepOrganization(by: OperatorCaller, orgId: string): Promise<StateChange>;
  };
  readonly schedule: Schedule;
  readonly people: PeopleDeps;
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly addresses: ResultOf<(typeof DISCOVERY_ROUTES)["getAddresses"]>;
  /** Null: no e-mail is sent. */
  readonly mail: Mails | null;
  /** The folder of the portal's build; null: the default of `npm start`. */
  readonly portalDir: string | null;
}

export type PortalOperation<Name extends keyof typeof PORTAL_ROUTES> = Operation<
  PortalSurfaceDeps,
  (typeof PORTAL_ROUTES)[Name]
>;
