import Type from "typebox";
import { route } from "../route.ts";
import { CUSTOM_ROLE_KINDS } from "../scopes.ts";
import { DisplayName, Slug, Timestamp } from "../shared.ts";
import { closed, Etag, Id, IdOrSlug, listQuery, page, Replayed, ScopeList, ScopeName } from "./shapes.ts";

const roleParams = Type.Object({ role_id: IdOrSlug });

const Kind = Type.Enum([...CUSTOM_ROLE_KINDS], {
  description: "organization: a role of members and invitations; project: a role of people and groups in projects",
});

const Role = Type.Object({
  id: Id,
  slug: Slug,
  name: DisplayName,
  kind: Kind,
  scopes: Type.Array(ScopeName),
  uses: Type.Integer({ description: "how many members, open invitations, or people and groups in projects have it" }),
  created_at: Timestamp,
  etag: Etag,
});

export const CUSTOM_ROLE_ROWS = {
  listRoles: route({
    operationId: "listRoles",
    method: "GET",
    path: "/v1/roles",
    tag: "members",
    summary: "List the custom roles of the organization, newest first",
    permission: "org:read",
    query: listQuery,
    result: page(Role),
    status: 200,
    problems: ["invalid_parameter", "forbidden"],
  }),
  createRole: route({
    operationId: "createRole",
    method: "POST",
    path: "/v1/roles",
    tag: "members",
    summary: "Create a custom role",
    description:
      "The caller needs all scopes of the role. Only owners put `members:write` into a role. A role of projects has only scopes that a maintainer has.",
    permission: "members:write",
    recentSignIn: true,
    body: Type.Object({ slug: Slug, name: Type.Optional(DisplayName), kind: Kind, scopes: ScopeList }, closed),
    result: Type.Object({ ...Role.properties, replayed: Replayed }),
    status: 201,
    problems: ["invalid_body", "forbidden", "duplicate_slug", "limit_reached"],
    idempotent: true,
  }),
  getRole: route({
    operationId: "getRole",
    method: "GET",
    path: "/v1/roles/{role_id}",
    tag: "members",
    summary: "Read a custom role",
    permission: "org:read",
    params: roleParams,
    result: Role,
    status: 200,
    problems: ["forbidden", "not_found"],
  }),
  updateRole: route({
    operationId: "updateRole",
    method: "PATCH",
    path: "/v1/roles/{role_id}",
    tag: "members",
    summary: "Change a custom role, at the next request of everybody who has it",
    description:
      "To add scopes, the caller needs all scopes of the role wherever it is used: for a private project as a member of it, and without an end. Nobody changes a role that they have themselves. Credentials of people who lose scopes lose them, too.",
    permission: "members:write",
    recentSignIn: true,
    params: roleParams,
    headers: ["If-Match"],
    body: Type.Object(
      { slug: Type.Optional(Slug), name: Type.Optional(DisplayName), scopes: Type.Optional(ScopeList) },
      { ...closed, minProperties: 1 },
    ),
    result: Role,
    status: 200,
    problems: ["invalid_body", "forbidden", "not_found", "duplicate_slug", "concurrent_update"],
  }),
  deleteRole: route({
    operationId: "deleteRole",
    method: "DELETE",
    path: "/v1/roles/{role_id}",
    tag: "members",
    summary: "Delete a custom role that nobody has",
    permission: "members:write",
    recentSignIn: true,
    params: roleParams,
    status: 204,
    problems: ["forbidden", "not_found", "conflict"],
  }),
} as const;
