import Type from "typebox";
import { route } from "../route.ts";
import { CursorQuery, DisplayName, Timestamp } from "../shared.ts";
import { Id, IdOrSlug, closed, nullable, page } from "./shapes.ts";

/** GitHub's have about 1,500. */
const Assertion = Type.String({
  minLength: 1,
  maxLength: 8192,
  description: "a JSON Web Token of the issuer; nothing is given for it, and it is not kept",
});
const Text = Type.String({ minLength: 1, maxLength: 512 });
const Claims = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
  description: "further claims, and what each must be; 10 at most",
});

const Trust = Type.Object({
  id: Id,
  name: DisplayName,
  credential: Type.Object({ id: Id, client_id: Type.String(), name: DisplayName, project_id: nullable(Id) }),
  issuer: Type.String({ description: "what iss must be, to the letter" }),
  audience: Type.String({ description: "what aud must hold" }),
  subject: Type.String({
    description:
      "what sub must be; * stands for any run of characters but : and /, ** for any but :, both behind the first two parts only",
  }),
  claims: Claims,
  created_by: Id,
  created_at: Timestamp,
  last_used_at: nullable(Type.String({ format: "date-time", description: "to the minute" })),
  last_subject: nullable(Type.String({ description: "sub of that use" })),
});

const trustParams = Type.Object({ trust_id: Id });

export const TRUST_ROWS = {
  listTrusts: route({
    operationId: "listTrusts",
    method: "GET",
    path: "/v1/trusts",
    tag: "credentials",
    summary: "List the issuers whose tokens stand for a credential's secret, newest first",
    description: "Those of revoked credentials are not among them.",
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
    summary: "Trust an issuer: its tokens about such a subject stand for the credential's secret",
    description:
      "A job shows its token at POST /oauth/token as client_assertion (RFC 7523). To trust an issuer, the caller must have all permissions of the credential. A credential has 20 trusts at most.",
    permission: "credentials:write",
    recentSignIn: true,
    params: Type.Object({ credential_id: Id }),
    body: Type.Object(
      {
        name: DisplayName,
        issuer: Type.String({ minLength: 1, maxLength: 512, description: "https, at a public address" }),
        audience: Type.Optional(
          Type.String({ minLength: 1, maxLength: 512, description: "this server's identity_url when absent" }),
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
    summary: "Test whether a trust takes a token, check by check, without giving anything for it",
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
    description: "Tokens that the credential got by its secret or by other trusts go on.",
    permission: "credentials:write",
    recentSignIn: true,
    params: trustParams,
    result: Type.Object({ propagated: Type.Boolean({ description: "every live node has applied it" }) }),
    status: 200,
    problems: ["not_found"],
  }),
} as const;
