import type { CustomRoleKind } from "@mooring/contract";
import type { RoleOf } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { roleByName } from "./store.ts";

/** A role as a request names it. `customRole`: the id or the slug, with the role `custom`. */
export interface WantedRole<Role extends string> {
  readonly role: Role;
  readonly customRole?: string | null | undefined;
}

/** A role as a row has it, with the columns of its custom role. */
export interface GivenRole<Role extends string> extends RoleOf<Role> {
  readonly custom_role: string | null;
}

/** Finds the custom role that a request names. @throws Problem `invalid_body` */
export async function givenRole<Role extends string>(
  db: Reader,
  orgId: string,
  kind: CustomRoleKind,
  { role, customRole = null }: WantedRole<Role>,
): Promise<GivenRole<Role>> {
  if (role !== "custom") {
    if (customRole !== null) throw invalid("is only for the role custom");
    return { role, custom_role: null, custom_slug: null, custom_scopes: null };
  }
  if (customRole === null) throw invalid("is required with the role custom");
  const found = await roleByName(db, orgId, customRole);
  if (found?.kind !== kind) throw invalid(`names no custom role of the kind ${kind}`);
  return { role, custom_role: found.id, custom_slug: found.slug, custom_scopes: found.scopes };
}

function invalid(detail: string): Problem {
  return new Problem("invalid_body", "The custom role is not valid.", {
    errors: [{ pointer: "/custom_role", detail }],
  });
}

/** Whether two rows have the same role. */
export function isSameRole(
  a: { readonly role: string; readonly custom_role: string | null },
  b: { readonly role: string; readonly custom_role: string | null },
): boolean {
  return a.role === b.role && a.custom_role === b.custom_role;
}
