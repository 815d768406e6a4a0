import type { ORGANIZATION_ROUTES, USAGE_ROUTES } from "@mooring/contract";
import type { Identity } from "#domain/identity/index.ts";
import type { OperatorCaller, StateChange } from "#domain/operator/index.ts";
import type { PersonDeletion } from "#domain/people/index.ts";
import type { RequestReadDeps } from "#domain/requests/index.ts";
import type { TrashSettings, TrashWork } from "#domain/trash/index.ts";
import type { HttpHost, Operation } from "#http/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Mails } from "#domain/mail/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Outbound } from "#stores/outbound/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";

export interface OrganizationSurfaceDeps {
  readonly host: HttpHost;
  readonly identity: Pick<
    Identity,
    "activity" | "credentials" | "envelope" | "feed" | "ingestKeys" | "s3Keys" | "tokens" | "trusts"
  >;
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly outbound: Outbound;
  readonly requests: RequestReadDeps["requests"];
  readonly leaving: {
    deletePerson(deletion: PersonDeletion): Promise<void>;
    deleteOrganization(by: OperatorCaller, orgId: string): Promise<StateChange>;
    keepOrganization(by: OperatorCaller, orgId: string): Promise<StateChange>;
  };
  /** Null: no e-mail is sent, and people pass links on themselves. */
  readonly mail: Mails | null;
  readonly addresses: { readonly portal_url: string };
  readonly trash: TrashWork & TrashSettings;
}

export interface UsageSurfaceDeps {
  readonly host: HttpHost;
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly identity: Pick<Identity, "activity" | "credentials" | "s3Keys">;
  readonly telemetry: Pick<TelemetryStore, "policy" | "usage">;
  /** The defaults for organizations without own values; null: no limit. */
  readonly limits: {
    readonly filesBytesMax: number | null;
    readonly bucketsBytesMax: number | null;
    readonly imagesBytesMax: number | null;
    readonly webhooksBytesMax: number | null;
    readonly rate: { readonly perSecond: number; readonly burst: number };
  };
}

export type OrganizationOperation<Name extends keyof typeof ORGANIZATION_ROUTES> = Operation<
  OrganizationSurfaceDeps,
  (typeof ORGANIZATION_ROUTES)[Name]
>;

export type UsageOperation<Name extends keyof typeof USAGE_ROUTES> = Operation<
  UsageSurfaceDeps,
  (typeof USAGE_ROUTES)[Name]
>;
