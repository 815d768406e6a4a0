import Type from "typebox";
import { route } from "../route.ts";
import { CursorQuery, DisplayName, Timestamp } from "../shared.ts";
import { Id, IdOrSlug, closed, nullable, page } from "./shapes.ts";

/** GitHub's tokens have about 1,500 characters. */
const Assertion = Type.String({
  minLength: 1,
  maxLength: 8192,
  description:
    "a JSON Web Token of the issuer. The server only tests it: it issues no access token, and does not store it",
});
const Text = Type.String({ minLength: 1, maxLength: 512 });
const Claims = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
  description: "further claims and their required values; 10 at most",
});

const Trust = Type.Object({
  id: Id,
  name: DisplayName,
  credential: Type.Object({ id: Id, client_id: Type.String(), name: DisplayName, project_id: nullable(Id) }),
  issuer: Type.String({ description: "the exact value of iss" }),
  audience: Type.String({ description: "a value that aud must contain" }),
  subject: Type.String({
    description:
      "a pattern for sub. * matches any characters except : and /, and ** any characters except :. Wildcards are allowed only after the first two parts, which : or / separate",
  }),
  claims: Claims,
  created_by: Id,
  created_at: Timestamp,
  last_used_at: nullable(Type.String({ format: "date-time", description: "to the minute" })),
  last_subject: nullable(Type.String({ description: "sub of the token" })),
});

const trustParams = Type.Object({ trust_id: Id });

export const TRUST_ROWS = {
  listTrusts: route({
    operationId: "listTrusts",
    method: "GET",
    path: "/v1/trusts",
    tag: "credentials",
    summary: "List the trusts of credentials, newest first",
    description: "Trusts of revoked credentials are left out.",
    permission: "credentials:read",
    query: Type.Object({
      ...CursorQuery,
      credential: Type.Optional(Id),
      project: Type.Optional(IdOrSlug),
    }),
    result: page(Trust),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  createTrust: route({
    operationId: "createTrust",
    method: "POST",
    path: "/v1/credentials/{credential_id}/trusts",
    tag: "credentials",
    summary: "Create a trust: tokens of an issuer about a subject replace the credential's secret",
    description:
      "A job sends its token to POST /oauth/token as client_assertion (RFC 7523). The caller must have all permissions of the credential. A credential can have 20 trusts.",
    permission: "credentials:write",
    recentSignIn: true,
    params: Type.Object({ credential_id: Id }),
    body: Type.Object(
      {
        name: DisplayName,
        issuer: Type.String({ minLength: 1, maxLength: 512, description: "https, at a public address" }),
        audience: Type.Optional(
          Type.String({ minLength: 1, maxLength: 512, description: "by default this server's identity_url" }),
        ),
        subject: Text,
        claims: Type.Optional(Claims),
      },
      closed,
    ),
    result: Trust,
    status: 201,
    problems: ["invalid_body", "forbidden", "not_found", "conflict", "limit_reached"],
    idempotent: true,
  }),
  getTrust: route({
    operationId: "getTrust",
    method: "GET",
    path: "/v1/trusts/{trust_id}",
    tag: "credentials",
    summary: "Show a trust",
    permission: "credentials:read",
    params: trustParams,
    result: Trust,
    status: 200,
    problems: ["not_found"],
  }),
  testTrust: route({
    operationId: "testTrust",
    method: "POST",
    path: "/v1/trusts/{trust_id}/test",
    tag: "credentials",
    summary: "Test whether a trust accepts a token, check by check; no token is issued",
    permission: "credentials:read",
    params: trustParams,
    body: Type.Object({ assertion: Assertion }, closed),
    result: Type.Object({
      accepted: Type.Boolean(),
      issuer: nullable(Type.String({ description: "iss of the token" })),
      subject: nullable(Type.String({ description: "sub of the token" })),
      checks: Type.Array(
        Type.Object({
          check: Type.Enum(["form", "lifetime", "issuer", "signature", "audience", "subject", "claims"]),
          result: Type.Enum(["pass", "fail", "skipped"]),
          detail: Type.String(),
        }),
      ),
    }),
    status: 200,
    problems: ["invalid_body", "not_found"],
  }),
  deleteTrust: route({
    operationId: "deleteTrust",
    method: "DELETE",
    path: "/v1/trusts/{trust_id}",
    tag: "credentials",
    summary: "Delete a trust, and end every token that was issued by it",
    description: "Access tokens that were issued by the secret or by other trusts stay valid.",
    permission: "credentials:write",
    endsAccess: true,
    recentSignIn: true,
    params: trustParams,
    result: Type.Object({ propagated: Type.Boolean({ description: "all running nodes have applied it" }) }),
    status: 200,
    problems: ["not_found"],
  }),
} as const;
