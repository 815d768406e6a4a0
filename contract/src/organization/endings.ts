import Type from "typebox";
import { route } from "../route.ts";
import { Slug, Timestamp } from "../shared.ts";
import { Id, nullable } from "./shapes.ts";

const Ending = Type.Object({
  kind: Type.Enum(["member", "project_member", "group_member", "project_group", "invitation"], {
    description:
      "member: of the organization; project_group: a group in a project; invitation: the membership that it gives",
  }),
  user_id: nullable(Id),
  email: Type.String(),
  name: Type.String(),
  role: Type.String({
    description: "the role in the organization or the project; for a group_member the slug of the group",
  }),
  project: nullable(Type.Object({ id: Id, slug: Slug })),
  invitation_id: nullable(Id),
  expires_at: Timestamp,
  ended: Type.Boolean({ description: "the end has passed" }),
});

export const ENDING_ROWS = {
  listEndings: route({
    operationId: "listEndings",
    method: "GET",
    path: "/v1/endings",
    tag: "members",
    summary: "List the memberships that end soon or have ended, earliest end first",
    description:
      "Those that end before `before`, by default within 30 days, and those that ended within the last 30 days. Memberships of projects that you may not see are left out, and invitations without members:write. At most 500.",
    permission: "org:read",
    query: Type.Object({ before: Type.Optional(Timestamp) }),
    result: Type.Object({
      items: Type.Array(Ending),
      complete: Type.Boolean({ description: "false: there are more" }),
    }),
    status: 200,
    problems: ["invalid_parameter", "forbidden"],
  }),
} as const;
