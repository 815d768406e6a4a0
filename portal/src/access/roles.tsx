import { ORGANIZATION_ROUTES, type CustomRoleKind, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";

export type CustomRole = ResultOf<typeof ORGANIZATION_ROUTES.listRoles>["items"][number];

/** A role of a membership, as answers have it. */
export interface RoleHeld<Role extends string> {
  readonly role: Role;
  readonly custom_role: string | null;
}

/** The value of an option: a built-in role, or `custom:` and the slug of a custom role. */
export type RoleValue<Role extends string> = Exclude<Role, "custom"> | `custom:${string}`;

const PREFIX = "custom:";

export function valueOfRole<Role extends string>({ role, custom_role: slug }: RoleHeld<Role>): RoleValue<Role> {
  return role === "custom" ? `custom:${slug ?? ""}` : (role as Exclude<Role, "custom">);
}

/** Returns the part of a body that gives the role. */
export function bodyOfRole<Role extends string>(
  value: RoleValue<Role>,
): { role: Exclude<Role, "custom"> | "custom"; custom_role?: string } {
  if (value.startsWith(PREFIX)) return { role: "custom", custom_role: value.slice(PREFIX.length) };
  return { role: value as Exclude<Role, "custom"> };
}

/** Returns the name of a role for texts. */
export function titleOfRole({ role, custom_role: slug }: RoleHeld<string>): string {
  return slug ?? role;
}

/** Reads the custom roles of a kind, with `org:read`. */
export function useCustomRoles(kind: CustomRoleKind): readonly CustomRole[] {
  const enabled = useMayIn(null, "org:read");
  const { items } = useList(ORGANIZATION_ROUTES.listRoles, { query: { limit: 100 } }, { enabled });
  return items.filter((role) => role.kind === kind);
}

/** The options for custom roles in a selection of roles. */
export function CustomRoleOptions({ roles }: { roles: readonly CustomRole[] }): ReactNode {
  if (roles.length === 0) return null;
  return (
    <optgroup label="Custom roles">
      {roles.map(({ id, slug, name }) => (
        <option key={id} value={`custom:${slug}`}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}
