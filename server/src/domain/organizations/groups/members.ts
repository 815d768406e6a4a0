import { absent } from "#domain/identity/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { grantorOf, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { endDetail, requireEnd, requireWithinEnd } from "../members/ends.ts";
import { concludeOrphans, watchPerson } from "../members/orphans.ts";
import { findMember } from "../members/store.ts";
import type { Page, PageQuery } from "../pages.ts";
import { auditGroup, groupIn, requireMayGiveGroup } from "./groups.ts";
import {
  deleteGroupMemberRows,
  groupMembersOf,
  listGroupMemberRows,
  putGroupMemberRow,
  type GroupMember,
} from "./store.ts";

/** Lists members, newest person first. @throws Problem `not_found`, `invalid_parameter` for a foreign cursor */
export async function listGroupMembers(
  deps: Pick<OrganizationsDeps, "metadata">,
  orgId: string,
  group: string,
  { limit, cursor }: PageQuery,
): Promise<Page<GroupMember>> {
  const { id } = await groupIn(deps.metadata.read, orgId, group);
  const after = cursor === undefined ? undefined : decodeCursor(cursor, ["string", "string"]);
  const rows = await listGroupMemberRows(deps.metadata.read, id, { after, limit: limit + 1 });
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : encodeCursor([last.user_id, last.source]) };
}

/** Returns the version of a membership. `present`: there is one. */
export function groupMemberVersion(
  member: Pick<GroupMember, "user_id" | "source" | "expires_at"> & { readonly present?: boolean },
): object {
  const { user_id, source, expires_at, present = true } = member;
  return { user_id, source, expires_at, present };
}

/** Returns the membership of a person that people gave, not the claim. */
async function givenMembership(db: Reader, groupId: string, userId: string): Promise<GroupMember | undefined> {
  return (await groupMembersOf(db, groupId, userId)).find(({ source }) => source === "manual");
}

/**
 * Adds a member of the organization to a group, or changes the end. A membership from the claim stays beside it.
 * @throws Problem `not_found`, `forbidden`, `invalid_body` (the end has passed), `concurrent_update`, `limit_reached`
 */
export async function setGroupMember(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  options: {
    readonly group: string;
    readonly userId: string;
    readonly endsAtMs: number | null | undefined;
    readonly ifMatch: string | undefined;
  },
): Promise<GroupMember> {
  const { userId } = options;
  const versionOf = (member: GroupMember | undefined): object =>
    groupMemberVersion(member ?? { user_id: userId, source: "manual", expires_at: null, present: false });
  const { read } = deps.metadata;
  const expected = await expectedOf(options.ifMatch, async () => {
    const { id } = await groupIn(read, orgId, options.group);
    return versionOf(await givenMembership(read, id, userId));
  });
  return changeOrganization(deps, orgId, async (tx) => {
    const at = deps.clock.nowMs();
    const group = await groupIn(tx, orgId, options.group);
    if ((await findMember(tx, orgId, userId)) === undefined) throw absent();
    const before = await givenMembership(tx, group.id, userId);
    requireMatch(expected, versionOf(before));
    const { endsAtMs: expires_at = before?.expires_at ?? null } = options;
    if (before?.expires_at === expires_at) return before;
    await requireMayGiveGroup(tx, caller, group, { endMs: expires_at, nowMs: at });
    requireEnd(expires_at, at);
    requireWithinEnd((await grantorOf(tx, caller, orgId, at)).endsAtMs, expires_at);
    if (before === undefined) await enforceRecordLimit(deps.metadata, tx, "group_members_max", group.id);
    const watched = await watchPerson(deps, tx, orgId, userId);
    const row = { org_id: orgId, group_id: group.id, user_id: userId, source: "manual" as const };
    await putGroupMemberRow(tx, { ...row, expires_at, created_at: at });
    await announceAccessChange(deps, tx, orgId);
    await concludeOrphans(deps, tx, caller, { orgId, watched, adopts: [], projects: {}, version: {} });
    const detail = { user: userId, ...endDetail(before?.expires_at ?? null, expires_at) };
    await auditGroup(deps, tx, caller, group, { action: "group.member.update", detail });
    const after = await givenMembership(tx, group.id, userId);
    if (after === undefined) throw new Error("the membership that was just written is missing");
    return after;
  });
}

/** Removes a person from a group. @throws Problem `not_found`, `conflict` (the claim gives the membership) */
export async function removeGroupMember(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  { group: name, userId }: { readonly group: string; readonly userId: string },
): Promise<void> {
  await changeOrganization(deps, orgId, async (tx) => {
    const group = await groupIn(tx, orgId, name);
    const rows = await groupMembersOf(tx, group.id, userId);
    if (rows.length === 0) throw absent();
    const watched = await watchPerson(deps, tx, orgId, userId);
    if ((await deleteGroupMemberRows(tx, { groupId: group.id, userId, source: "manual" })) === 0)
      throw new Problem(
        "conflict",
        "The claim of the provider gives this membership. Remove the person there, or change the claim of the group.",
      );
    await announceAccessChange(deps, tx, orgId);
    await concludeOrphans(deps, tx, caller, { orgId, watched, adopts: [], projects: {}, version: {} });
    await auditGroup(deps, tx, caller, group, { action: "group.member.remove", detail: { user: userId } });
  });
}
