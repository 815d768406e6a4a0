import type { Identity } from "#domain/identity/index.ts";
import type { PeopleDeps } from "#domain/people/index.ts";
import type { HttpHost } from "#http/index.ts";

export interface OauthSurfaceDeps {
  readonly host: HttpHost;
  readonly identity: Identity;
  readonly people: LoginDeps;
  /** The address of the pages on which people approve logins. */
  readonly portalUrl: string;
}

export type LoginDeps = Pick<PeopleDeps, "clock" | "metadata" | "userCodes">;
