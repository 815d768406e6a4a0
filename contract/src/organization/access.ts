import Type from "typebox";
import { route } from "../route.ts";
import { DisplayName, Slug } from "../shared.ts";
import { CustomRoleName, Id, IdOrSlug, nullable, OrgRoleName, ProjectRoleName, ScopeName } from "./shapes.ts";

const Because = Type.String({
  description: "the reason, for people: `role owner`, `writer of project shop`",
});
const Verdict = { allowed: Type.Boolean(), because: Because };

const Access = Type.Object({
  permission: ScopeName,
  project: nullable(Type.Object({ id: Id, slug: Slug, name: DisplayName })),
  members: Type.Array(
    Type.Object({
      user_id: Id,
      email: Type.String(),
      name: Type.String(),
      role: OrgRoleName,
      custom_role: CustomRoleName,
      project_role: nullable(ProjectRoleName),
      ...Verdict,
    }),
    { description: "newest first, 1000 at most" },
  ),
  credentials: nullable(
    Type.Array(
      Type.Object({
        id: Id,
        kind: Type.Enum(["app", "personal", "ingest"]),
        client_id: Type.String(),
        name: DisplayName,
        project_id: nullable(Id),
        ...Verdict,
      }),
      {
        description:
          "credentials with this access, newest first. Only the newest 200 that you may see are examined. null: you do not have credentials:read",
      },
    ),
  ),
  s3_keys: nullable(
    Type.Array(
      Type.Object({
        id: Id,
        access_key_id: Type.String(),
        name: DisplayName,
        project_id: nullable(Id),
        ...Verdict,
      }),
      { description: "S3 keys with this access, in the same way; empty if no S3 key can have the permission" },
    ),
  ),
  complete: Type.Boolean({
    description: "false: there are more members, credentials or keys than the server examined",
  }),
});

export const ACCESS_ROWS = {
  getAccess: route({
    operationId: "getAccess",
    method: "GET",
    path: "/v1/access",
    tag: "organization",
    summary: "Show who may do something, and why",
    description:
      "With a project: in that project. Without: in the organization, or in a project that you may see too. Limits of a permission, " +
      "such as the buckets of an S3 key, are not considered.",
    permission: "org:read",
    query: Type.Object({ permission: ScopeName, project: Type.Optional(IdOrSlug) }),
    result: Access,
    status: 200,
    problems: ["invalid_parameter", "forbidden", "not_found"],
  }),
} as const;
