import Type from "typebox";
import { closed, Email, Id, nullable } from "../organization/shapes.ts";
import { route } from "../route.ts";
import { DisplayName, Timestamp } from "../shared.ts";

const PERSON_ONLY = "Only a person can do this: an operator token that leaked can't keep itself alive.";

const Operator = Type.Object({
  id: Id,
  email: Email,
  name: Type.String(),
  last_seen_at: nullable(Timestamp),
  is_set_up: Type.Boolean({ description: "false: becomes an operator by the first sign-in, if nobody is faster" }),
});

const OperatorToken = Type.Object({
  id: Id,
  name: DisplayName,
  created_by: nullable(Type.String({ description: "e-mail address of the operator; null: a command on the machine" })),
  created_at: Timestamp,
  expires_at: nullable(Timestamp),
  last_used_at: nullable(Timestamp),
});

/** The people who run the server, and the tokens of their programs. */
export const OPERATOR_ROWS = {
  listOperators: route({
    operationId: "listOperators",
    method: "GET",
    path: "/api/instance/operators",
    tag: "portal",
    summary: "List the operators of the server",
    permission: "instance",
    result: Type.Object({ items: Type.Array(Operator) }),
    status: 200,
    problems: [],
  }),
  giveOperatorRole: route({
    operationId: "giveOperatorRole",
    method: "POST",
    path: "/api/instance/operators",
    tag: "portal",
    summary: "Make a person with an account an operator",
    description: PERSON_ONLY,
    permission: "instance",
    recentSignIn: true,
    body: Type.Object({ email: Email }, closed),
    result: Operator,
    status: 200,
    problems: ["invalid_body", "not_found", "conflict"],
  }),
  takeOperatorRole: route({
    operationId: "takeOperatorRole",
    method: "DELETE",
    path: "/api/instance/operators/{user_id}",
    tag: "portal",
    summary: "Take the role from an operator; their operator tokens end, and the last operator keeps the role",
    description: PERSON_ONLY,
    permission: "instance",
    recentSignIn: true,
    params: Type.Object({
      user_id: Type.String({ minLength: 1, maxLength: 254, description: "id or e-mail address" }),
    }),
    status: 204,
    problems: ["not_found", "conflict"],
  }),
  listOperatorTokens: route({
    operationId: "listOperatorTokens",
    method: "GET",
    path: "/api/instance/tokens",
    tag: "portal",
    summary: "List the operator tokens",
    permission: "instance",
    result: Type.Object({ items: Type.Array(OperatorToken) }),
    status: 200,
    problems: [],
  }),
  createOperatorToken: route({
    operationId: "createOperatorToken",
    secret: true,
    method: "POST",
    path: "/api/instance/tokens",
    tag: "portal",
    summary: "Create an operator token for a program; it is shown this once",
    description: PERSON_ONLY,
    permission: "instance",
    recentSignIn: true,
    body: Type.Object({ name: DisplayName, expires_at: Type.Optional(nullable(Timestamp)) }, closed),
    result: Type.Object({ token: Type.String(), item: OperatorToken }),
    status: 201,
    problems: ["invalid_body", "conflict"],
  }),
  revokeOperatorToken: route({
    operationId: "revokeOperatorToken",
    method: "DELETE",
    path: "/api/instance/tokens/{token_id}",
    tag: "portal",
    summary: "Revoke an operator token",
    permission: "instance",
    recentSignIn: true,
    params: Type.Object({ token_id: Id }),
    status: 204,
    problems: ["not_found"],
  }),
} as const;
