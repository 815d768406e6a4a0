import { LOGIN_CLIENT_ID } from "@mooring/contract";
import type { Addresses } from "./addresses.ts";
import { apiError } from "./errors.ts";
import { reach } from "./reach.ts";
import type { TokenAnswer } from "./tokens.ts";
import { versionFields } from "./version.ts";

/** The tokens of a person's login. The refresh token works once. */
export interface LoginAnswer extends TokenAnswer {
  readonly refresh_token: string;
}

export interface DeviceAnswer {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  /** Seconds. */
  readonly expires_in: number;
  readonly interval: number;
}

type Identity = Pick<Addresses, "identity_url">;

const TIMEOUT_MS = 15_000;

/** Exchanges a code, a device code or a refresh token. @throws ApiError, UnreachableError */
export async function loginTokens(addresses: Identity, form: Readonly<Record<string, string>>): Promise<LoginAnswer> {
  return (await post(addresses, "/oauth/token", "sign in", form)).json() as Promise<LoginAnswer>;
}

/** Begins a login on a machine without a browser. @throws ApiError, UnreachableError */
export async function beginDeviceLogin(
  addresses: Identity,
  form: Readonly<Record<string, string>>,
): Promise<DeviceAnswer> {
  return (await post(addresses, "/oauth/device_authorization", "sign in", form)).json() as Promise<DeviceAnswer>;
}

/** Ends the login of a refresh token. @throws ApiError, UnreachableError */
export async function endLogin(addresses: Identity, refreshToken: string): Promise<void> {
  await (await post(addresses, "/oauth/revoke", "sign out", { token: refreshToken })).body?.cancel();
}

async function post(
  { identity_url: url }: Identity,
  path: string,
  purpose: string,
  form: Readonly<Record<string, string>>,
): Promise<Response> {
  const response = await reach(purpose, url + path, {
    method: "POST",
    headers: { ...versionFields(url), "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ client_id: LOGIN_CLIENT_ID, ...form }).toString(),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.ok) return response;
  throw await apiError(purpose, response);
}
