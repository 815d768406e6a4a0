import Type from "typebox";
import { route } from "../route.ts";
import { SCOPES } from "../scopes.ts";
import { DisplayName } from "../shared.ts";
import { AllowedAddresses, Id, Me, Organization, OrphansName, ScopeName, closed, nullable } from "./shapes.ts";

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
      "To require `second_factor_required` or `sign_in: provider`, the caller must have signed in that way. From then on, this organization refuses sessions and personal access tokens of people who have not.",
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
              approval_required: Type.Optional(Type.Boolean()),
              second_factor_required: Type.Optional(Type.Boolean()),
              sign_in: Type.Optional(Type.Enum(["any", "provider"])),
              device_login: Type.Optional(Type.Boolean()),
              orphans: Type.Optional(OrphansName),
              heir: Type.Optional(nullable(Id)),
            },
            closed,
          ),
        ),
      },
      { ...closed, minProperties: 1 },
    ),
    result: Organization,
    status: 200,
    problems: ["invalid_body", "forbidden", "concurrent_update", "second_factor_required", "provider_sign_in_required"],
  }),
} as const;
