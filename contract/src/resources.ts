import type { Scope } from "./scopes.ts";

/**
 * The kinds of resources to which a credential can be limited, with the scopes that act on them. All other scopes act on
 * no such resource, so a limited credential has none of them.
 */
export const RESOURCE_SCOPES = {
  repositories: ["registry:pull", "registry:push", "registry:delete"],
  buckets: ["s3:read", "s3:write", "s3:delete"],
  webhooks: ["webhooks:read", "webhooks:write"],
  services: ["telemetry:read", "telemetry:write"],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

export type ResourceKind = keyof typeof RESOURCE_SCOPES;

export const RESOURCE_KINDS = Object.keys(RESOURCE_SCOPES) as readonly ResourceKind[];

/** The most entries of all kinds together. */
export const RESOURCES_MAX = 100;

const KIND_OF: ReadonlyMap<Scope, ResourceKind> = new Map(
  RESOURCE_KINDS.flatMap((kind) => RESOURCE_SCOPES[kind].map((scope) => [scope, kind] as const)),
);

/** Returns the kind of resource on which a scope acts. Undefined: it acts on no resource of these kinds. */
export function resourceKindOf(scope: Scope): ResourceKind | undefined {
  return KIND_OF.get(scope);
}
