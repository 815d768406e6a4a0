import { sql } from "kysely";
import type { ProjectMemberRole } from "@mooring/contract";
import { customRole, customRoleOf, type ProjectGrant } from "#domain/identity/access/index.ts";
import { earliest } from "#kernel/time.ts";
import type { Reader } from "#stores/metadata/index.ts";

/** The columns from which `responsible_grants` is made. */
interface GrantColumns {
  own_role: ProjectMemberRole | null;
  own_scopes: string | null;
  own_slug: string | null;
  own_until: number | null;
  /** The number of their groups in the project. */
  group_roles: number;
}

/** The custom role of the responsible person. Null: their role is built in. */
export interface RoleColumns {
  role_scopes: string | null;
  role_slug: string | null;
}

/** The columns of roles in a query of credentials `c`, with the member `m` and the member of the project `pm`. */
export function roleColumns() {
  const groupRoles = sql<number>`(select count(*) from group_member as gm
    join project_group as pg on pg.group_id = gm.group_id
    where gm.user_id = c.responsible and pg.project_id = c.project_id)`;
  return [
    customRole("m.custom_role", "scopes").as("role_scopes"),
    customRole("m.custom_role", "slug").as("role_slug"),
    customRole("pm.custom_role", "scopes").as("own_scopes"),
    customRole("pm.custom_role", "slug").as("own_slug"),
    groupRoles.as("group_roles"),
  ] as const;
}

type Found = GrantColumns & {
  readonly org_id: string;
  readonly project_id: string | null;
  readonly responsible: string;
};

/** Adds the roles in the project. Only people with groups there need a second read. */
export async function withGrants<R extends Found>(
  db: Reader,
  rows: readonly R[],
): Promise<(Omit<R, keyof GrantColumns> & { responsible_grants: ProjectGrant[] })[]> {
  const found = [];
  for (const { own_role, own_scopes, own_slug, own_until: endsAtMs, group_roles, ...row } of rows) {
    const own =
      own_role === null ? [] : [{ role: own_role, custom_scopes: own_scopes, custom_slug: own_slug, endsAtMs }];
    const { org_id: orgId, project_id: projectId, responsible: userId } = row;
    const byGroups =
      Number(group_roles) > 0 && projectId !== null ? await groupGrants(db, { orgId, projectId, userId }) : [];
    found.push({ ...row, responsible_grants: [...own, ...byGroups] });
  }
  return found;
}

/** Returns the roles that a person has in a project by groups. */
async function groupGrants(
  db: Reader,
  { orgId, projectId, userId }: { readonly orgId: string; readonly projectId: string; readonly userId: string },
): Promise<ProjectGrant[]> {
  const rows = await db
    .selectFrom("group_member as gm")
    .innerJoin("project_group as pg", "pg.group_id", "gm.group_id")
    .select(["pg.role", "gm.expires_at as until", "pg.expires_at as role_until"])
    .select(customRoleOf("pg"))
    .where("gm.org_id", "=", orgId)
    .where("gm.user_id", "=", userId)
    .where("pg.project_id", "=", projectId)
    .execute();
  return rows.map(({ until, role_until, ...role }) => ({ ...role, endsAtMs: earliest(until, role_until) }));
}
