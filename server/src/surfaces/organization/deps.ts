import type { Identity } from "#domain/identity/index.ts";
import type { HttpHost } from "#http/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Mail } from "#stores/mail/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Outbound } from "#stores/outbound/index.ts";

export interface OrganizationSurfaceDeps {
  readonly host: HttpHost;
  readonly identity: Pick<Identity, "activity" | "credentials" | "envelope" | "feed" | "trusts">;
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly outbound: Outbound;
  /** Null: no e-mail is sent, and people hand links over themselves. */
  readonly mail: Mail | null;
  readonly addresses: { readonly portal_url: string };
}
