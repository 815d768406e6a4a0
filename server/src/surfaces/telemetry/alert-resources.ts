import type { Scope } from "@mooring/contract";
import { findAlert, type Alert } from "#domain/alerts/index.ts";
import { type Principal, absent, requireAllSeen } from "#domain/identity/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { findSavedQuery, type SavedQuery } from "#domain/saved-queries/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

type Deps = { readonly metadata: MetadataStore };

/**
 * An alert is evaluated with the permissions of the actor who changed it last, so that actor must have these scopes.
 */
export const WRITING: readonly Scope[] = ["webhooks:write", "telemetry:read"];
export const READING: readonly Scope[] = ["telemetry:read"];

/** @throws Problem `not_found` (absent and hidden alike), `insufficient_scope` */
export async function alertFor(
  deps: Deps,
  principal: Principal,
  id: string,
  permissions: readonly Scope[],
): Promise<Alert> {
  const alert = await findAlert(deps, principal.orgId, id);
  if (alert === undefined) throw absent();
  requireAllSeen(principal, permissions, resourceOf(alert));
  return alert;
}

/** Returns the saved query of an alert. @throws Problem as above */
export async function savedQueryFor(deps: Deps, principal: Principal, id: string): Promise<SavedQuery> {
  const query = await findSavedQuery(deps, principal.orgId, id);
  if (query === undefined) throw absent();
  requireAllSeen(principal, WRITING, resourceOf(query));
  return query;
}
