import Type from "typebox";
import { route } from "../route.ts";
import { CursorQuery, DisplayName, Timestamp } from "../shared.ts";
import { Credential, Id, IdOrSlug, NewCredential, ScopeList, closed, nullable, page } from "./shapes.ts";

const credentialParams = Type.Object({ credential_id: Id });

export const CREDENTIAL_ROWS = {
  listCredentials: route({
    operationId: "listCredentials",
    method: "GET",
    path: "/v1/credentials",
    tag: "credentials",
    summary: "List credentials, newest first; without their secrets",
    permission: "credentials:read",
    query: Type.Object({
      ...CursorQuery,
      project: Type.Optional(IdOrSlug),
      include_revoked: Type.Optional(Type.Boolean({ default: false })),
    }),
    result: page(Credential),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  createCredential: route({
    operationId: "createCredential",
    method: "POST",
    path: "/v1/credentials",
    tag: "credentials",
    summary: "Create a credential; its secret is shown once",
    description: "Nobody gives a scope that they do not hold, or that the organization's policy forbids.",
    permission: "credentials:write",
    recentSignIn: true,
    body: Type.Object(
      {
        name: DisplayName,
        scopes: ScopeList,
        project: Type.Optional(nullable(IdOrSlug)),
        expires_at: Type.Optional(nullable(Type.String({ format: "date-time" }))),
      },
      closed,
    ),
    result: NewCredential,
    status: 201,
    problems: ["invalid_body", "forbidden", "not_found"],
    idempotent: true,
  }),
  getCredential: route({
    operationId: "getCredential",
    method: "GET",
    path: "/v1/credentials/{credential_id}",
    tag: "credentials",
    summary: "Read a credential; without its secrets",
    permission: "credentials:read",
    params: credentialParams,
    result: Credential,
    status: 200,
    problems: ["not_found"],
  }),
  updateCredential: route({
    operationId: "updateCredential",
    method: "PATCH",
    path: "/v1/credentials/{credential_id}",
    tag: "credentials",
    summary: "Change a credential's name or permission set",
    permission: "credentials:write",
    recentSignIn: true,
    params: credentialParams,
    body: Type.Object(
      { name: Type.Optional(DisplayName), scopes: Type.Optional(ScopeList) },
      { ...closed, minProperties: 1 },
    ),
    result: Credential,
    status: 200,
    problems: ["invalid_body", "forbidden", "not_found", "conflict"],
  }),
  rotateCredential: route({
    operationId: "rotateCredential",
    method: "POST",
    path: "/v1/credentials/{credential_id}/rotate",
    tag: "credentials",
    summary: "Make a new secret of a credential; the old one works until the overlap ends",
    permission: "credentials:write",
    recentSignIn: true,
    params: credentialParams,
    body: Type.Object(
      {
        overlap_seconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 30 * 86_400,
            default: 86_400,
            description: "0: the old secret stops at once",
          }),
        ),
      },
      closed,
    ),
    result: NewCredential,
    status: 200,
    problems: ["invalid_body", "not_found", "conflict"],
    idempotent: true,
  }),
  revokeCredential: route({
    operationId: "revokeCredential",
    method: "DELETE",
    path: "/v1/credentials/{credential_id}",
    tag: "credentials",
    summary: "Revoke a credential and every token that it was given",
    permission: "credentials:write",
    recentSignIn: true,
    params: credentialParams,
    result: Type.Object({
      revoked_at: Timestamp,
      propagated: Type.Boolean({ description: "every live node has applied it" }),
    }),
    status: 200,
    problems: ["not_found"],
  }),
} as const;
