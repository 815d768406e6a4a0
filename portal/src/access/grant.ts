import { ORG_ROLE_SCOPES, ORGANIZATION_ROUTES, PROJECT_ROLE_SCOPES } from "@mooring/contract";
import { useRead } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { useMe } from "~/app/scope.ts";
import type { Grant } from "./permissions.ts";

export interface CredentialPolicy {
  readonly scopes: Grant["policyScopes"];
  readonly lifetimeDaysMax: number | null;
  /** Whether each credential must expire. */
  readonly requireExpiry: boolean;
  /** Credentials of people without members:write wait for an approval. */
  readonly approvalRequired: boolean;
}

const FREE: CredentialPolicy = {
  scopes: null,
  lifetimeDaysMax: null,
  requireExpiry: false,
  approvalRequired: false,
};

/**
 * Returns the organization's policy for credentials. Without `org:read` it is unknown, and only the server enforces it.
 */
export function usePolicy(): CredentialPolicy {
  const { data } = useRead(ORGANIZATION_ROUTES.getOrganization, {}, { enabled: useMayIn(null, "org:read") });
  if (data === undefined) return FREE;
  const { policy } = data;
  return {
    scopes: policy.allowed_scopes,
    lifetimeDaysMax: policy.credential_lifetime_days_max,
    requireExpiry: policy.require_expiry,
    approvalRequired: policy.approval_required,
  };
}

/**
 * Returns the facts that decide which scopes the person may give to a credential of a project (id or slug; null: the
 * whole organization).
 */
export function useGrant(project: string | null): Grant {
  const me = useMe();
  const policy = usePolicy();
  const of = me?.projects.find(({ id, slug }) => id === project || slug === project);
  const role = me?.role ?? null;
  return {
    orgRole: role,
    orgScopes: role === null || role === "custom" ? (me?.scopes ?? []) : ORG_ROLE_SCOPES[role],
    project: project === null ? null : { name: of?.name ?? project, role: of?.role ?? null, scopes: of?.scopes ?? [] },
    projectRoleScopes: PROJECT_ROLE_SCOPES,
    policyScopes: policy.scopes,
  };
}
