import Type from "typebox";
import { HTTP_URL, url } from "./upstream-settings.ts";

export const OIDC_SETTINGS = {
  oidc_issuer: {
    schema: url,
    default: null,
    form: HTTP_URL,
    description: "issuer identifier of an OpenID Connect provider for people; if not set, there is no single sign-on",
  },
  oidc_client_id: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 255 })]),
    default: null,
    form: "the value from the provider",
    description:
      "client id of this server at that provider; its redirect URI is portal_url with /api/sign-in/oidc/callback",
  },
  oidc_client_secret: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 1024 })]),
    default: null,
    form: "the value from the provider",
    description: "client secret of this server at that provider; if not set, this server is a public client",
    secret: true,
  },
  oidc_scope: {
    schema: Type.String({ minLength: 6, maxLength: 255, pattern: "^openid( [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$" }),
    default: "openid email",
    form: "scopes, separated by spaces; the first is openid",
    description: "scopes that this server asks that provider for; some need another one for groups",
  },
  oidc_groups_claim: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 128 })]),
    default: null,
    form: "the name of a claim, such as groups",
    description: "claim of that provider with the groups of a person; if not set, no group gets members by a claim",
  },
  oidc_name: {
    schema: Type.String({ minLength: 1, maxLength: 40 }),
    default: "single sign-on",
    form: "up to 40 characters",
    description: "name of that provider on the sign-in page",
  },
} as const;
