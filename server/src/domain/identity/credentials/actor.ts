import type { Scope } from "@mooring/contract";
import type { AuditEvent } from "#domain/audit/index.ts";
import {
  absent,
  decide,
  explained,
  heldScopes,
  lacking,
  mayRevokeIn,
  oversees,
  type Principal,
  type Resource,
} from "#domain/identity/access/index.ts";
import { resourceOf, type OptionalProjectColumns } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import { KINDS, kindOf, type AnyRow } from "./kinds.ts";
import { ALL_SCOPES, CREATED_BY_SYSTEM, type Policy } from "./bounds.ts";

/** The product itself, for example its command line on the server. It has every permission within one organization. */
export interface SystemActor {
  readonly kind: "system";
  /** The id in the audit log, for example `command-line`. */
  readonly id: string | null;
  readonly orgId: string;
}

/** The actor of a request, and its origin for the audit log. */
export interface ActorContext {
  readonly actor: Principal | SystemActor;
  readonly ip?: string | null;
  readonly requestId?: string | null;
}

/**
 * Returns the permissions of the actor for the resource.
 * @throws Problem `not_found` if the resource is hidden from it
 */
export function permissionsOf(
  actor: ActorContext["actor"],
  resource: Resource,
  permission: Scope = "credentials:read",
): ReadonlySet<Scope> {
  if (actor.kind === "system") {
    if (actor.orgId !== resource.orgId) throw absent();
    return ALL_SCOPES;
  }
  const held = heldScopes(actor, resource);
  if (held === undefined) throw explained({ principal: actor, permission, resource }, absent());
  return held;
}

/** @throws Problem `not_found` or `insufficient_scope` */
export function requirePermission(
  actor: ActorContext["actor"],
  permission: Scope,
  resource: Resource,
): ReadonlySet<Scope> {
  if (actor.kind !== "system" && heldScopes(actor, resource) === undefined && oversees(actor, permission, resource))
    return new Set();
  const held = permissionsOf(actor, resource, permission);
  if (held.has(permission)) return held;
  if (actor.kind === "system") throw lacking(permission, { by: "scope" });
  const verdict = decide(actor, permission, resource);
  const problem = lacking(permission, verdict.allowed ? { by: "scope" } : verdict.reason);
  throw explained({ principal: actor, permission, resource }, problem);
}

/**
 * Checks that an actor gives only permissions that it has.
 * @throws Problem `insufficient_scope` that names the scopes
 */
export function requireHeld(held: ReadonlySet<Scope>, asked: Iterable<Scope>): void {
  const missing = [...asked].filter((scope) => !held.has(scope));
  if (missing.length === 0) return;
  const scope = missing.join(" ");
  throw new Problem(
    "insufficient_scope",
    `You can only give permissions that you have yourself, and you lack: ${scope}`,
    {
      scope,
    },
  );
}

/** Checks the asked scopes against the policy. @throws Problem `forbidden` that names the scopes */
export function requirePolicy(policy: Policy, asked: Iterable<Scope>): void {
  const { allowedScopes } = policy;
  if (allowedScopes === null) return;
  const refused = [...asked].filter((scope) => !allowedScopes.has(scope));
  if (refused.length === 0) return;
  const options = { decidedBy: "policy" } as const;
  throw new Problem(
    "forbidden",
    `The organization's policy forbids these scopes for credentials: ${refused.join(" ")}`,
    options,
  );
}

/** Returns the scopes that the organization allows for a credential. */
export function withinPolicy(scopes: ReadonlySet<Scope>, { allowedScopes }: Policy): Scope[] {
  return [...scopes].filter((scope) => allowedScopes?.has(scope) ?? true);
}

export function auditActorOf(actor: ActorContext["actor"]): AuditEvent["actor"] {
  if (actor.kind === "credential" && actor.ownerId !== undefined)
    return { kind: "person", id: actor.ownerId, via: actor.id };
  const via = actor.kind === "person" && actor.via !== undefined ? { via: actor.via.id } : {};
  return { kind: actor.kind, id: actor.id, ...via };
}

export function creatorOf(actor: ActorContext["actor"]): string {
  return actor.kind === "system" ? CREATED_BY_SYSTEM : actor.id;
}

/** Whether this is the person's own personal access token. They may revoke it without any permission. */
export function isOwn(actor: ActorContext["actor"], token: Pick<AnyRow, "created_by" | "kind">): boolean {
  return KINDS[kindOf(token)].ownedBy === "person" && actor.kind === "person" && token.created_by === actor.id;
}

/**
 * Checks that an actor may revoke. An owner may in every project, but where they are not a member they adopt nothing.
 * @throws Problem `not_found` or `insufficient_scope`
 */
export function requireMayRevoke(
  actor: ActorContext["actor"],
  token: AnyRow & OptionalProjectColumns,
  { adopts }: { readonly adopts: boolean },
): void {
  if (isOwn(actor, token)) return;
  const resource = resourceOf(token);
  if (!adopts && actor.kind !== "system" && mayRevokeIn(actor, resource)) return;
  requirePermission(actor, "credentials:write", resource);
}
