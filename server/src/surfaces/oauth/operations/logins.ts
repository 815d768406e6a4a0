import { LOGIN_CLIENT_ID } from "@mooring/contract";
import {
  beginDeviceLogin,
  endLoginOf,
  redeemCode,
  redeemDeviceCode,
  refreshLogin,
  type LoginTokens,
} from "#domain/people/index.ts";
import type { OauthSurfaceDeps } from "../deps.ts";
import { NO_STORE, OauthError, type Answer } from "../errors.ts";
import type { OauthOperation, OauthRequest } from "../model.ts";
import { requireParameter } from "../wire/form.ts";

export const DEVICE_CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

const NAME_CHARS_MAX = 100;
const SLUG = /^[a-z0-9-]{2,39}$/;

/** Whether the command line sent it. It is a public client: it has no secret, only a person's approval. */
export function isLogin({ form, authorization }: OauthRequest): boolean {
  return authorization === undefined && form.get("client_id") === LOGIN_CLIENT_ID && !form.has("client_secret");
}

type Grant = (deps: OauthSurfaceDeps, request: OauthRequest) => Promise<LoginTokens>;

const GRANTS: Readonly<Record<string, Grant>> = {
  authorization_code: ({ people }, { form, ip, requestId }) =>
    redeemCode(
      people,
      {
        code: requireParameter(form, "code"),
        redirectUri: requireParameter(form, "redirect_uri"),
        verifier: requireParameter(form, "code_verifier"),
      },
      { ip, requestId },
    ),
  refresh_token: ({ people }, { form, ip, requestId }) =>
    refreshLogin(people, requireParameter(form, "refresh_token"), { ip, requestId }),
  [DEVICE_CODE_GRANT]: ({ people }, { form, ip, requestId }) =>
    redeemDeviceCode(people, requireParameter(form, "device_code"), { ip, requestId }),
};

/** Issues the tokens of a login. @throws OauthError, LoginRefusal; Problem `rate_limited` */
export async function loginTokens(deps: OauthSurfaceDeps, request: OauthRequest, grantType: string): Promise<Answer> {
  request.countAddress();
  const grant = Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined;
  if (grant === undefined)
    throw new OauthError("unsupported_grant_type", "The command line can't use this grant type.");
  const { accessToken, expiresInS, refreshToken } = await grant(deps, request);
  const body = { access_token: accessToken, token_type: "Bearer", expires_in: expiresInS, refresh_token: refreshToken };
  return { status: 200, headers: NO_STORE, body };
}

/** Ends the login of a refresh token (RFC 7009). */
export async function revokeLogin({ people }: OauthSurfaceDeps, request: OauthRequest): Promise<Answer> {
  request.countAddress();
  const { form, ip, requestId } = request;
  await endLoginOf(people, requireParameter(form, "token"), { ip, requestId });
  return { status: 200, headers: NO_STORE, body: undefined };
}

/**
 * Begins a login on a machine without a browser (RFC 8628 section 3.1). The answer has no `verification_uri_complete`:
 * the person must type the code, so that nobody approves a stranger's login with one click.
 */
export const deviceAuthorization: OauthOperation = async ({ people, portalUrl }, request) => {
  request.countAddress();
  const { form, ip } = request;
  if (!isLogin(request)) throw new OauthError("invalid_client", `The client_id must be ${LOGIN_CLIENT_ID}.`);
  const organization = form.get("organization") ?? null;
  if (organization !== null && !SLUG.test(organization))
    throw new OauthError("invalid_request", "The organization must be a slug.");
  const codes = await beginDeviceLogin(people, { name: nameOf(form.get("name")), organization }, ip);
  return {
    status: 200,
    headers: NO_STORE,
    body: {
      device_code: codes.deviceCode,
      user_code: codes.userCode,
      verification_uri: `${portalUrl}/device`,
      expires_in: codes.expiresInS,
      interval: codes.intervalS,
    },
  };
};

/** The person reads the name when they decide, so it has only plain characters. */
function nameOf(text: string | undefined): string {
  const plain = (text ?? "").replaceAll(/[^\p{L}\p{N} ._@:()-]/gu, " ").trim();
  return plain === "" ? "unnamed" : plain.slice(0, NAME_CHARS_MAX);
}
