import type { Identity } from "#domain/identity/index.ts";
import type { HttpHost } from "#http/index.ts";

export interface OauthSurfaceDeps {
  readonly host: HttpHost;
  readonly identity: Identity;
}
