import type { Scope } from "@mooring/contract";
import { type ActorContext, type Principal, absent, requireSeen } from "#domain/identity/index.ts";
import { findApp, type App } from "#domain/organizations/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import type { DestinationDeps } from "#domain/s3/index.ts";
import type { OperationContext } from "#http/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { OrganizationSurfaceDeps } from "./deps.ts";

type Deps = { readonly metadata: MetadataStore };

/** @throws Problem `not_found` (absent and hidden alike), `insufficient_scope` */
export async function appFor(deps: Deps, principal: Principal, idOrSlug: string, permission: Scope): Promise<App> {
  const app = await findApp(deps, principal.orgId, idOrSlug);
  if (app === undefined) throw absent();
  requireSeen(principal, permission, resourceOf(app));
  return app;
}

/** Converts the request's context to the form of `domain/identity`. */
export function actorContextOf(context: OperationContext): ActorContext {
  return { actor: context.principal, ip: context.ip, requestId: context.requestId };
}

/** Applies a change of permissions on this node before the answer. Other nodes apply it within a second. */
export async function settled(deps: {
  readonly identity: { readonly feed: { sync(): Promise<void> } };
}): Promise<void> {
  // The change is committed even if this fails, and the feed retries.
  await deps.identity.feed.sync().catch(() => undefined);
}

/** Returns the dependencies of `domain/s3` for destinations. */
export function destinationDepsOf({ metadata, clock, identity, outbound }: OrganizationSurfaceDeps): DestinationDeps {
  return { metadata, clock, envelope: identity.envelope, outbound };
}
