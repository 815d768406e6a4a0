import Type from "typebox";
import { route } from "../route.ts";
import { Timestamp } from "../shared.ts";
import { Responsible } from "./credential-shapes.ts";
import { Id, ScopeName, closed, nullable } from "./shapes.ts";

/** The kinds of secrets that the server issues. */
export const LEAK_KINDS = [
  "client_secret",
  "personal_token",
  "ingest_key",
  "access_token",
  "registry_token",
  "s3_access_key",
  "s3_secret",
  "webhook_url",
  "invitation",
  "setup_link",
  "reset_link",
  "session",
  "session_token",
  "login_token",
  "login_refresh_token",
  "login_code",
  "operator_token",
] as const;
export type LeakKind = (typeof LEAK_KINDS)[number];

const LeakOwner = Type.Object({
  id: Id,
  name: nullable(Type.String()),
  project_id: nullable(Id),
  responsible: Responsible,
  scopes: Type.Array(ScopeName, { description: "what it can do now" }),
  is_live: Type.Boolean({ description: "it works now" }),
  reason: nullable(Type.String({ description: "why it does not work" })),
  created_at: nullable(Timestamp),
  expires_at: nullable(Timestamp),
  last_used_at: nullable(Timestamp),
  last_used_ip: nullable(Type.String()),
  next: Type.Array(Type.String(), { description: "the commands that replace or end it" }),
});

export const LEAK_ROWS = {
  findLeak: route({
    operationId: "findLeak",
    method: "POST",
    path: "/v1/leaks/find",
    tag: "credentials",
    summary: "Find the owner of a leaked secret of the organization",
    description:
      "Accepts every kind of secret that this server issues, also in a header field, a cookie or a link. The secret is neither stored nor logged; the audit log has its kind and owner. `owner` is null if the secret is unknown, belongs to another organization, or to something that the caller may not see.",
    permission: "credentials:read",
    body: Type.Object({ secret: Type.String({ minLength: 1, maxLength: 8192 }) }, closed),
    result: Type.Object({
      kind: nullable(Type.Enum([...LEAK_KINDS], { description: "by its form; null: no form that this server uses" })),
      owner: nullable(LeakOwner),
    }),
    status: 200,
    problems: ["invalid_body"],
  }),
} as const;
