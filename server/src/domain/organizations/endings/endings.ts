import { nameOfRole } from "#domain/identity/index.ts";
import type { Reach } from "#domain/projects/index.ts";
import type { OrganizationsDeps } from "../caller.ts";
import {
  endingGroupMembers,
  endingInvitations,
  endingMembers,
  endingProjectGroups,
  endingProjectMembers,
} from "./store.ts";

/** A membership with an end. */
export interface Ending {
  readonly kind: "member" | "project_member" | "group_member" | "project_group" | "invitation";
  readonly userId: string | null;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly project: { readonly id: string; readonly slug: string } | null;
  readonly invitationId: string | null;
  readonly endsAtMs: number;
}

/** The most memberships of one answer. */
const ENDINGS_MAX = 500;
const DAY_MS = 86_400_000;
/** Ended memberships are shown for this time. */
const SHOWN_AFTER_MS = 30 * DAY_MS;
const WITHIN_MS = 30 * DAY_MS;

interface Question {
  /** The projects whose members the caller may see. */
  readonly reach: Reach;
  readonly seesInvitations: boolean;
  /** Default: in 30 days. */
  readonly beforeMs: number | undefined;
}

/** Lists the memberships that end soon or have ended, earliest end first. `complete`: none was left out. */
export async function listEndings(
  { metadata, clock }: Pick<OrganizationsDeps, "metadata" | "clock">,
  orgId: string,
  { reach, seesInvitations, beforeMs }: Question,
): Promise<{ items: Ending[]; complete: boolean }> {
  const { read } = metadata;
  const nowMs = clock.nowMs();
  const toMs = beforeMs ?? nowMs + WITHIN_MS;
  const range = { orgId, fromMs: nowMs - SHOWN_AFTER_MS, toMs, limit: ENDINGS_MAX + 1 };
  const members = await endingMembers(read, range);
  const inProjects = await endingProjectMembers(read, range, reach);
  const inGroups = await endingGroupMembers(read, range);
  const groups = await endingProjectGroups(read, range, reach);
  const invitations = seesInvitations ? await endingInvitations(read, range) : [];
  const items = [
    ...members.map((row) => ({ kind: "member" as const, ...personOf(row), project: null })),
    ...inProjects.map((row) => ({
      kind: "project_member" as const,
      ...personOf(row),
      project: { id: row.project_id, slug: row.project_slug },
    })),
    ...inGroups.map((row) => ({ kind: "group_member" as const, ...personOf(row), project: null })),
    ...groups.map(({ name, expires_at: endsAtMs, ...row }) => ({
      kind: "project_group" as const,
      userId: null,
      email: "",
      name,
      role: nameOfRole(row),
      invitationId: null,
      project: { id: row.project_id, slug: row.project_slug },
      endsAtMs: endsAtMs ?? 0,
    })),
    ...invitations.map((row) => ({
      kind: "invitation" as const,
      userId: null,
      name: "",
      project: null,
      email: row.email,
      role: nameOfRole(row),
      invitationId: row.invitation_id,
      endsAtMs: row.expires_at ?? 0,
    })),
  ].toSorted((a, b) => a.endsAtMs - b.endsAtMs);
  return { items: items.slice(0, ENDINGS_MAX), complete: items.length <= ENDINGS_MAX };
}

function personOf(row: {
  user_id: string;
  email: string;
  name: string;
  role: string;
  custom_slug?: string | null;
  expires_at: number | null;
}) {
  const { user_id: userId, email, name, role, custom_slug = null, expires_at: endsAtMs } = row;
  return { userId, email, name, role: nameOfRole({ role, custom_slug }), invitationId: null, endsAtMs: endsAtMs ?? 0 };
}
