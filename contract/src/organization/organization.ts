import Type from "typebox";
import { route } from "../route.ts";
import { forStates } from "../project-states.ts";
import { SCOPES } from "../scopes.ts";
import { DisplayName, Slug } from "../shared.ts";
import { Resources } from "./resource-shapes.ts";
import { Suspension } from "./suspension.ts";
import {
  AllowedAddresses,
  CustomRoleName,
  Environment,
  Id,
  Organization,
  OrgRoleName,
  OrphansName,
  ProjectRoleName,
  ScopeName,
  Visibility,
  closed,
  nullable,
} from "./shapes.ts";

const Me = Type.Object({
  kind: Type.Enum(["person", "credential"]),
  id: Id,
  client_id: nullable(Type.String()),
  email: nullable(Type.String()),
  role: nullable(OrgRoleName),
  custom_role: CustomRoleName,
  organization: Type.Object({ id: Id, slug: Slug, name: DisplayName }),
  project_id: nullable(Type.String({ description: "for a credential of one project: the project" })),
  scopes: Type.Array(ScopeName),
  resources: Resources,
  address: Type.String({ description: "the address of this request, as lists of allowed addresses see it" }),
  projects: Type.Array(
    Type.Object({
      id: Id,
      slug: Slug,
      name: DisplayName,
      visibility: Visibility,
      environment: nullable(Environment),
      ...forStates("", () => Type.Boolean()),
      role: nullable(ProjectRoleName),
      custom_role: CustomRoleName,
      scopes: Type.Array(ScopeName, { description: "the scopes of the caller in the project" }),
    }),
    {
      description:
        "the projects that the caller can see, newest first, 1000 at most; `projects_next_cursor` says whether there are more",
    },
  ),
  projects_next_cursor: nullable(
    Type.String({
      description: "the cursor with which GET /v1/projects continues; null: there are no more projects",
    }),
  ),
});

/** An organization after it was deleted or kept. */
const OrganizationDeletion = Type.Object({
  id: Id,
  slug: Slug,
  name: DisplayName,
  ...Suspension,
  propagated: Type.Boolean({
    description: "every node has applied it; false: one that does not answer will, or it stops",
  }),
});

/** The shortest retention of the audit log, so that nobody hides an act by a short retention. */
export const AUDIT_RETENTION_DAYS_MIN = 30;

export const ORGANIZATION_ROWS = {
  getMe: route({
    operationId: "getMe",
    method: "GET",
    path: "/v1/me",
    tag: "organization",
    summary: "Show the person or credential of the token, and its permissions",
    permission: "authenticated",
    result: Me,
    status: 200,
    problems: [],
  }),
  deleteMe: route({
    operationId: "deleteMe",
    method: "DELETE",
    path: "/v1/me",
    tag: "organization",
    summary: "Delete one's account, in every organization; for people",
    description:
      "Account, sessions, logins, tokens and memberships end at once, and this can't be undone. The audit log keeps the id, without " +
      "address and name. Credentials follow the `orphans` policy of each organization. 409: you are the last owner of an organization, " +
      "or the last operator; the detail names the remedy.",
    permission: "authenticated",
    recentSignIn: true,
    status: 204,
    problems: ["forbidden", "conflict"],
  }),
  getOrganization: route({
    operationId: "getOrganization",
    method: "GET",
    path: "/v1/organization",
    tag: "organization",
    summary: "Read the organization of the token",
    permission: "org:read",
    result: Organization,
    status: 200,
    problems: ["forbidden"],
  }),
  updateOrganization: route({
    operationId: "updateOrganization",
    method: "PATCH",
    path: "/v1/organization",
    tag: "organization",
    summary: "Change the organization's name, token lifetime or policy",
    description:
      "To require `second_factor_required` or `sign_in: provider`, the caller must have signed in that way. From then on, this organization refuses sessions and personal access tokens of people who have not. A list of addresses must contain the caller's address if it binds the caller: otherwise 409. Only a person binds people by a list.",
    headers: ["If-Match"],
    permission: "org:write",
    recentSignIn: true,
    body: Type.Object(
      {
        name: Type.Optional(DisplayName),
        token_lifetime_s: Type.Optional(Type.Integer({ minimum: 300, maximum: 3600 })),
        policy: Type.Optional(
          Type.Object(
            {
              allowed_scopes: Type.Optional(
                nullable(Type.Array(ScopeName, { uniqueItems: true, maxItems: SCOPES.length })),
              ),
              credential_lifetime_days_max: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 3650 }))),
              require_expiry: Type.Optional(Type.Boolean()),
              allowed_addresses: Type.Optional(AllowedAddresses),
              allowed_addresses_for: Type.Optional(Type.Enum(["programs", "people", "both"])),
              approval_required: Type.Optional(Type.Boolean()),
              second_factor_required: Type.Optional(Type.Boolean()),
              sign_in: Type.Optional(Type.Enum(["any", "provider"])),
              device_login: Type.Optional(Type.Boolean()),
              orphans: Type.Optional(OrphansName),
              heir: Type.Optional(nullable(Id)),
              audit_retention_days: Type.Optional(
                nullable(Type.Integer({ minimum: AUDIT_RETENTION_DAYS_MIN, maximum: 36_500 })),
              ),
            },
            closed,
          ),
        ),
      },
      { ...closed, minProperties: 1 },
    ),
    result: Organization,
    status: 200,
    problems: [
      "invalid_body",
      "forbidden",
      "conflict",
      "concurrent_update",
      "second_factor_required",
      "provider_sign_in_required",
    ],
  }),
  deleteOrganization: route({
    operationId: "deleteOrganization",
    method: "DELETE",
    path: "/v1/organization",
    tag: "organization",
    summary:
      "Delete the organization: nobody can use it from now on, and everything in it is deleted after 30 days; for owners",
    description:
      "It takes effect on every node before the answer. Until `deletes_at`, an owner or operator can keep it. After that it can't be undone. " +
      "Its slug stays reserved for 90 days more. Only a person who is an owner can do this.",
    permission: "org:write",
    recentSignIn: true,
    query: Type.Object({
      slug: Type.String({ maxLength: 64, description: "the slug of the organization, as a confirmation" }),
    }),
    result: OrganizationDeletion,
    status: 200,
    problems: ["invalid_parameter", "forbidden"],
  }),
  keepOrganization: route({
    operationId: "keepOrganization",
    method: "POST",
    path: "/v1/organization/keep",
    tag: "organization",
    summary: "Keep the organization that was deleted; its earlier state returns; for owners",
    description: "Works until its data is deleted. 409: it was not deleted, or its data is already being deleted.",
    permission: "authenticated",
    recentSignIn: true,
    whileDeleting: true,
    body: Type.Object({}, closed),
    result: OrganizationDeletion,
    status: 200,
    problems: ["invalid_body", "forbidden", "conflict"],
  }),
} as const;
