import Type from "typebox";
import { closed, Email, Id, nullable, Password } from "../organization/shapes.ts";
import { route } from "../route.ts";
import { Timestamp } from "../shared.ts";
import { SignInResult } from "./shapes.ts";

const ResetToken = Type.String({ maxLength: 128, description: "the part of the link after #" });
const PUBLIC = "a person who can't sign in has no session; the token in the body authorizes the request";

const MailResult = nullable(
  Type.Object({ failure: nullable(Type.String({ description: "null: the mail server accepted the mail" })) }),
);

const Account = Type.Object({
  id: Id,
  email: Email,
  name: Type.String(),
  verified_at: nullable(Timestamp),
  last_seen_at: nullable(Timestamp),
  created_at: Timestamp,
  has_second_factor: Type.Boolean(),
  instance_admin: Type.Boolean(),
  organizations: Type.Array(Type.String(), { description: "slugs" }),
});

/** Recovery of an account, and verification of its address. */
export const RECOVERY_ROWS = {
  requestReset: route({
    operationId: "requestReset",
    method: "POST",
    path: "/api/reset/request",
    tag: "portal",
    summary: "Mail a link to set a new password, if an account has this address",
    description: "The answer and its time are the same whether or not there is an account.",
    permission: "public",
    publicReason: "a person who lost the password can't sign in; the mailbox is the proof",
    sameOrigin: true,
    body: Type.Object({ email: Email }, closed),
    status: 204,
    problems: ["invalid_body", "conflict", "rate_limited"],
  }),
  openReset: route({
    operationId: "openReset",
    method: "POST",
    path: "/api/reset/open",
    tag: "portal",
    summary: "Show the account of a reset link, and the effects of using it",
    permission: "public",
    publicReason: PUBLIC,
    sameOrigin: true,
    body: Type.Object({ token: ResetToken }, closed),
    result: Type.Object({
      email: Email,
      first_proof: Type.Boolean({ description: "every earlier way to sign in ends with it" }),
      second_factor: Type.Enum(["none", "required", "ends"], { description: "the effect on the authenticator app" }),
    }),
    status: 200,
    problems: ["invalid_body", "not_found", "rate_limited"],
  }),
  resetPassword: route({
    operationId: "resetPassword",
    secret: true,
    method: "POST",
    path: "/api/reset",
    tag: "portal",
    summary: "Set a new password by a one-time link; every session ends",
    description:
      "Signs in, or asks for the second factor if an authenticator app is set up. The first link that verifies an address also ends every other way to sign in.",
    permission: "public",
    publicReason: PUBLIC,
    sameOrigin: true,
    body: Type.Object({ token: ResetToken, password: Password }, closed),
    result: SignInResult,
    status: 200,
    problems: ["invalid_body", "not_found", "rate_limited"],
  }),
  requestVerification: route({
    operationId: "requestVerification",
    method: "POST",
    path: "/api/account/email/verify",
    tag: "portal",
    summary: "Mail a link to one's own address, which verifies it",
    permission: "session",
    body: Type.Object({}, closed),
    status: 204,
    problems: ["invalid_body", "conflict", "rate_limited"],
  }),
  changeEmail: route({
    operationId: "changeEmail",
    method: "PUT",
    path: "/api/account/email",
    tag: "portal",
    summary: "Change one's e-mail address; the new one is unverified until its link is used",
    description:
      "If this server sends mail, the old address gets a message, and the new address gets the link that verifies it.",
    permission: "session",
    recentSignIn: true,
    body: Type.Object({ email: Email }, closed),
    result: Type.Object({ email: Email, verified: Type.Boolean(), mail: MailResult }),
    status: 200,
    problems: ["invalid_body", "conflict", "rate_limited"],
  }),
  dismissNotice: route({
    operationId: "dismissNotice",
    method: "DELETE",
    path: "/api/session/notice",
    tag: "portal",
    summary: "Hide the list of everything that the first verification of the address ended",
    permission: "session",
    status: 204,
    problems: [],
  }),
  beginIdentityLink: route({
    operationId: "beginIdentityLink",
    secret: true,
    method: "POST",
    path: "/api/account/identity",
    tag: "portal",
    summary: "Prepare to link one's identity at the single sign-on: the address for the browser",
    description: "The identity from the provider replaces the linked one.",
    permission: "session",
    recentSignIn: true,
    body: Type.Object({}, closed),
    result: Type.Object({ url: Type.String({ description: "at the provider" }) }),
    status: 200,
    problems: ["invalid_body", "not_found", "conflict", "unavailable"],
  }),
  deleteIdentity: route({
    operationId: "deleteIdentity",
    method: "DELETE",
    path: "/api/account/identity",
    tag: "portal",
    summary: "Unlink one's identity at the single sign-on; the last way to sign in can't be unlinked",
    permission: "session",
    recentSignIn: true,
    status: 204,
    problems: ["not_found", "conflict"],
  }),
  listAccounts: route({
    operationId: "listAccounts",
    method: "GET",
    path: "/api/instance/accounts",
    tag: "portal",
    summary: "List the accounts of the server, by address",
    permission: "instance",
    query: Type.Object({
      unverified: Type.Optional(Type.Boolean({ description: "only accounts with an unverified address" })),
      q: Type.Optional(
        Type.String({
          maxLength: 254,
          description:
            "part of the address or name; one request examines 5000 accounts, so a page may be empty and still have a next_cursor",
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
      cursor: Type.Optional(Type.String({ maxLength: 254, description: "next_cursor of the previous page" })),
    }),
    result: Type.Object({
      items: Type.Array(Account),
      next_cursor: nullable(Type.String()),
      unverified: Type.Integer({
        description: "accounts with an unverified address, of all accounts; counted up to 1000",
      }),
      unverified_is_lower_bound: Type.Optional(
        Type.Literal(true, { description: "true: there are more than were counted" }),
      ),
    }),
    status: 200,
    problems: ["invalid_parameter"],
  }),
  createResetLink: route({
    operationId: "createResetLink",
    secret: true,
    method: "POST",
    path: "/api/instance/accounts/{user_id}/reset-link",
    tag: "portal",
    summary: "Create a one-time link with which a person sets a new password",
    description:
      "The operator gives the link to the person. It works for an hour. An authenticator app stays required unless `clear_second_factor` is true.",
    permission: "instance",
    recentSignIn: true,
    params: Type.Object({ user_id: Id }),
    body: Type.Object({ clear_second_factor: Type.Optional(Type.Boolean()) }, closed),
    result: Type.Object({ reset_url: Type.String(), expires_at: Timestamp }),
    status: 201,
    problems: ["invalid_body", "not_found"],
  }),
  deletePerson: route({
    operationId: "deletePerson",
    method: "DELETE",
    path: "/api/instance/accounts/{user_id}",
    tag: "portal",
    summary: "Delete a person, with sessions, tokens and memberships",
    description:
      "This can't be undone. The audit log keeps the id, without address and name. Credentials follow the `orphans` policy of each " +
      "organization. 409: the last owner of an organization, or the last operator; the detail names the remedy.",
    permission: "instance",
    recentSignIn: true,
    params: Type.Object({ user_id: Id }),
    status: 204,
    problems: ["not_found", "conflict"],
  }),
} as const;
