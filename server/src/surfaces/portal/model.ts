import type { PORTAL_ROUTES, ResultOf } from "@mooring/contract";
import type { PersonalToken } from "#domain/identity/index.ts";
import type { Organization } from "#domain/organizations/index.ts";
import { endOf, type PasskeyRow, type SessionRow } from "#domain/people/index.ts";
import { suspensionFields } from "#domain/suspension/index.ts";
import { isoFromMs } from "#kernel/time.ts";

/** Converts records to the form of the portal's API. */

type Rows = typeof PORTAL_ROUTES;

export function passkeyBody(row: PasskeyRow): ResultOf<Rows["createPasskey"]> {
  const { id, name, last_used_at: usedMs } = row;
  return {
    id,
    name,
    created_at: isoFromMs(row.created_at),
    last_used_at: usedMs === null ? null : isoFromMs(usedMs),
    synced: row.synced === 1,
  };
}

export function browserSessionBody(
  row: SessionRow,
  currentId: string,
): ResultOf<Rows["listSessions"]>["items"][number] {
  const { id, ip, user_agent, method } = row;
  return {
    id,
    current: id === currentId,
    created_at: isoFromMs(row.created_at),
    last_seen_at: isoFromMs(row.last_seen_at),
    expires_at: isoFromMs(endOf(row)),
    ip,
    user_agent,
    method,
  };
}

export function personalTokenBody(row: PersonalToken): ResultOf<Rows["listPersonalAccessTokens"]>["items"][number] {
  const { id, name, org_slug: organization } = row;
  return {
    id,
    name,
    organization,
    scopes: row.scopes === "" ? [] : row.scopes.split(" "),
    created_at: isoFromMs(row.created_at),
    expires_at: row.expires_at === null ? null : isoFromMs(row.expires_at),
    last_used_at: row.last_used_at === null ? null : isoFromMs(row.last_used_at),
    pending: row.pending === 1,
  };
}

/** Returns an organization as the operator sees it. */
export function operatedOrganizationBody(organization: Organization) {
  const { id, slug, name, created_at } = organization;
  return { id, slug, name, created_at: isoFromMs(created_at), ...suspensionFields(organization) };
}
