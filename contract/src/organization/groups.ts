import Type from "typebox";
import { route } from "../route.ts";
import { DisplayName, Slug, Timestamp } from "../shared.ts";
import {
  closed,
  CustomRoleName,
  Etag,
  GivenCustomRole,
  Id,
  IdOrSlug,
  listQuery,
  MembershipEnd,
  nullable,
  page,
  ProjectRoleName,
  Replayed,
} from "./shapes.ts";

const groupParams = Type.Object({ group_id: IdOrSlug });
const groupMemberParams = Type.Object({ group_id: IdOrSlug, user_id: Id });
const projectParams = Type.Object({ project_id: IdOrSlug });
const projectGroupParams = Type.Object({ project_id: IdOrSlug, group_id: IdOrSlug });

const Claim = nullable(
  Type.String({
    minLength: 1,
    maxLength: 256,
    description:
      "people whose claim at the OpenID provider has exactly this value are members, from their sign-in on; null: none",
  }),
);

const Group = Type.Object({
  id: Id,
  slug: Slug,
  name: DisplayName,
  claim: Claim,
  members: Type.Integer({ description: "the number of members, ended ones included" }),
  created_at: Timestamp,
});

const GroupMember = Type.Object({
  user_id: Id,
  email: Type.String(),
  name: Type.String(),
  source: Type.Enum(["manual", "oidc"], { description: "oidc: from the claim; it lapses seven days after a sign-in" }),
  created_at: Timestamp,
  expires_at: MembershipEnd,
  etag: Etag,
});

const ProjectGroup = Type.Object({
  group_id: Id,
  slug: Slug,
  name: DisplayName,
  role: ProjectRoleName,
  custom_role: CustomRoleName,
  created_at: Timestamp,
  expires_at: MembershipEnd,
  etag: Etag,
});

const GIVES =
  "The caller needs all permissions that the group gives in its projects. For a private project: as a member of it.";

export const GROUP_ROWS = {
  listGroups: route({
    operationId: "listGroups",
    method: "GET",
    path: "/v1/groups",
    tag: "members",
    summary: "List the groups of the organization, newest first",
    permission: "org:read",
    query: listQuery,
    result: page(Group),
    status: 200,
    problems: ["invalid_parameter", "forbidden"],
  }),
  createGroup: route({
    operationId: "createGroup",
    method: "POST",
    path: "/v1/groups",
    tag: "members",
    summary: "Create a group of people",
    description: "Groups have roles in projects only. Only owners set `claim`.",
    permission: "members:write",
    recentSignIn: true,
    body: Type.Object({ slug: Slug, name: Type.Optional(DisplayName), claim: Type.Optional(Claim) }, closed),
    result: Type.Object({ ...Group.properties, replayed: Replayed }),
    status: 201,
    problems: ["invalid_body", "forbidden", "duplicate_slug", "conflict", "limit_reached"],
    idempotent: true,
  }),
  getGroup: route({
    operationId: "getGroup",
    method: "GET",
    path: "/v1/groups/{group_id}",
    tag: "members",
    summary: "Read a group",
    permission: "org:read",
    params: groupParams,
    result: Group,
    status: 200,
    problems: ["forbidden", "not_found"],
  }),
  updateGroup: route({
    operationId: "updateGroup",
    method: "PATCH",
    path: "/v1/groups/{group_id}",
    tag: "members",
    summary: "Change a group's slug, name or claim",
    description: `Only owners set \`claim\`. If it changes, members from the old one leave at once. A new claim: ${GIVES}`,
    permission: "members:write",
    recentSignIn: true,
    params: groupParams,
    headers: ["If-Match"],
    body: Type.Object(
      { slug: Type.Optional(Slug), name: Type.Optional(DisplayName), claim: Type.Optional(Claim) },
      { ...closed, minProperties: 1 },
    ),
    result: Group,
    status: 200,
    problems: ["invalid_body", "forbidden", "not_found", "duplicate_slug", "conflict", "concurrent_update"],
  }),
  deleteGroup: route({
    operationId: "deleteGroup",
    method: "DELETE",
    path: "/v1/groups/{group_id}",
    tag: "members",
    summary: "Delete a group; its members lose its roles at once",
    permission: "members:write",
    endsAccess: true,
    recentSignIn: true,
    params: groupParams,
    status: 204,
    problems: ["forbidden", "not_found"],
  }),
  listGroupMembers: route({
    operationId: "listGroupMembers",
    method: "GET",
    path: "/v1/groups/{group_id}/members",
    tag: "members",
    summary: "List the members of a group",
    permission: "org:read",
    params: groupParams,
    query: listQuery,
    result: page(GroupMember),
    status: 200,
    problems: ["invalid_parameter", "forbidden", "not_found"],
  }),
  putGroupMember: route({
    operationId: "putGroupMember",
    method: "PUT",
    path: "/v1/groups/{group_id}/members/{user_id}",
    tag: "members",
    summary: "Add a member of the organization to a group, or change the end",
    description: `${GIVES} Nobody can give a membership that ends later than their own.`,
    permission: "members:write",
    recentSignIn: true,
    params: groupMemberParams,
    headers: ["If-Match"],
    body: Type.Object({ expires_at: Type.Optional(MembershipEnd) }, closed),
    result: GroupMember,
    status: 200,
    problems: ["invalid_body", "forbidden", "not_found", "limit_reached", "concurrent_update"],
  }),
  deleteGroupMember: route({
    operationId: "deleteGroupMember",
    method: "DELETE",
    path: "/v1/groups/{group_id}/members/{user_id}",
    tag: "members",
    summary: "Remove a person from a group; they lose its roles at once",
    description: "A membership from the claim stays: remove the person at the provider, or change the group's claim.",
    permission: "members:write",
    endsAccess: true,
    params: groupMemberParams,
    status: 204,
    problems: ["forbidden", "not_found", "conflict"],
  }),
  listProjectGroups: route({
    operationId: "listProjectGroups",
    method: "GET",
    path: "/v1/projects/{project_id}/groups",
    tag: "projects",
    summary: "List the groups that are members of a project",
    permission: "projects:read",
    params: projectParams,
    query: listQuery,
    result: page(ProjectGroup),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  putProjectGroup: route({
    operationId: "putProjectGroup",
    method: "PUT",
    path: "/v1/projects/{project_id}/groups/{group_id}",
    tag: "projects",
    summary: "Give a group a role in a project",
    description:
      "A person with several roles has the permissions of all of them. Without `expires_at`, a present end stays. Nobody can give a role that ends later than their own.",
    permission: "projects:write",
    params: projectGroupParams,
    headers: ["If-Match"],
    body: Type.Object(
      { role: ProjectRoleName, custom_role: GivenCustomRole, expires_at: Type.Optional(MembershipEnd) },
      closed,
    ),
    result: ProjectGroup,
    status: 200,
    problems: ["invalid_body", "forbidden", "not_found", "limit_reached", "concurrent_update"],
  }),
  deleteProjectGroup: route({
    operationId: "deleteProjectGroup",
    method: "DELETE",
    path: "/v1/projects/{project_id}/groups/{group_id}",
    tag: "projects",
    summary: "Remove a group from a project",
    permission: "projects:write",
    endsAccess: true,
    params: projectGroupParams,
    status: 204,
    problems: ["not_found"],
  }),
} as const;
