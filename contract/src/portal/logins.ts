import Type from "typebox";
import { closed, Id, nullable } from "../organization/shapes.ts";
import { route } from "../route.ts";
import { Slug, Timestamp } from "../shared.ts";

/** The client id of the command line. It is public, so a login needs a person's approval. */
export const LOGIN_CLIENT_ID = "mooring-cli";

const Login = Type.Object({
  id: Id,
  name: Type.String({ description: "the machine, as the command named it" }),
  organization: Slug,
  flow: Type.Enum(["browser", "device"]),
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Type.String({ format: "date-time", description: "without further use" }),
  confirmed_at: Type.String({
    format: "date-time",
    description: "the person's last sign-in or confirmation before it",
  }),
  ip: nullable(Type.String({ description: "the address that began it" })),
});

/** Shown to a person who decides, so it has no control characters. */
const MachineName = Type.String({ minLength: 1, maxLength: 100, pattern: "^[^\\u0000-\\u001f\\u007f]*$" });
const UserCode = Type.String({ minLength: 8, maxLength: 32, description: "the code that the command printed" });

/** Logins of the command line (RFC 8252, RFC 8628). The token endpoint issues their tokens. */
export const LOGIN_ROWS = {
  listLogins: route({
    operationId: "listLogins",
    method: "GET",
    path: "/api/account/logins",
    tag: "portal",
    summary: "List one's logins of the command line",
    permission: "session",
    result: Type.Object({ items: Type.Array(Login) }),
    status: 200,
    problems: [],
  }),
  deleteLogin: route({
    operationId: "deleteLogin",
    method: "DELETE",
    path: "/api/account/logins/{login_id}",
    tag: "portal",
    summary: "End a login of the command line",
    permission: "session",
    params: Type.Object({ login_id: Id }),
    status: 204,
    problems: ["not_found"],
  }),
  approveLogin: route({
    operationId: "approveLogin",
    method: "POST",
    path: "/api/logins",
    tag: "portal",
    summary: "Approve a login of the command line on this machine",
    permission: "session",
    recentSignIn: true,
    body: Type.Object(
      {
        client_id: Type.Enum([LOGIN_CLIENT_ID]),
        organization: Slug,
        name: MachineName,
        redirect_uri: Type.String({ maxLength: 100, description: "a loopback address" }),
        state: Type.String({ minLength: 1, maxLength: 512 }),
        code_challenge: Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" }),
        code_challenge_method: Type.Enum(["S256"]),
      },
      closed,
    ),
    result: Type.Object({ redirect_to: Type.String({ description: "the address of the command, with the code" }) }),
    status: 200,
    problems: [
      "invalid_body",
      "not_found",
      "organization_blocked",
      "second_factor_required",
      "provider_sign_in_required",
    ],
  }),
  findDeviceLogin: route({
    operationId: "findDeviceLogin",
    method: "POST",
    path: "/api/logins/device/find",
    tag: "portal",
    summary: "Show the login that waits for a code",
    permission: "session",
    body: Type.Object({ user_code: UserCode }, closed),
    result: Type.Object({
      name: Type.String({ description: "the machine, as the command named it" }),
      ip: nullable(Type.String({ description: "the address of the command" })),
      organization: nullable(Type.String({ description: "the slug that the command asked for" })),
      created_at: Timestamp,
    }),
    status: 200,
    problems: ["invalid_body", "not_found", "rate_limited"],
  }),
  approveDeviceLogin: route({
    operationId: "approveDeviceLogin",
    method: "POST",
    path: "/api/logins/device/approve",
    tag: "portal",
    summary: "Approve the login that waits for a code",
    permission: "session",
    recentSignIn: true,
    body: Type.Object({ user_code: UserCode, organization: Slug }, closed),
    status: 204,
    problems: [
      "invalid_body",
      "not_found",
      "forbidden",
      "conflict",
      "rate_limited",
      "organization_blocked",
      "second_factor_required",
      "provider_sign_in_required",
    ],
  }),
  denyDeviceLogin: route({
    operationId: "denyDeviceLogin",
    method: "POST",
    path: "/api/logins/device/deny",
    tag: "portal",
    summary: "Deny the login that waits for a code",
    permission: "session",
    body: Type.Object({ user_code: UserCode }, closed),
    status: 204,
    problems: ["invalid_body", "not_found", "conflict", "rate_limited"],
  }),
} as const;
