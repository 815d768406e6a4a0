import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { signedInPrincipal } from "#domain/organizations/index.ts";
import { decodeBase64Url } from "#kernel/decoding.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { newId } from "#kernel/ids.ts";
import { DEVICE_POLL_S, LOGIN_IDLE_MS, LOGIN_TOKEN_LIFETIME_S, LOGINS_MAX } from "#kernel/limits.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import { auditLogin } from "./audit.ts";
import { tidyLogins } from "./logins.ts";
import { LoginRefusal } from "./refusal.ts";
import {
  changeRequest,
  deleteLogins,
  deleteOldestLogins,
  insertLogin,
  loginBy,
  requestBy,
  rotateLogin,
  type LoginRequest,
  type LoginRow,
} from "./store.ts";
import { newAccessToken, signedInOf, type AccessToken } from "./tokens.ts";

type Deps = Pick<PeopleDeps, "metadata" | "clock">;
type From = Pick<Origin, "ip" | "requestId">;

/** The tokens of a login. The refresh token works once. */
export interface LoginTokens {
  readonly accessToken: string;
  readonly expiresInS: number;
  readonly refreshToken: string;
}

const PREFIX = "mrlr_";
const PART_BYTES = 32;
/** A poll that comes this much too early is the client's timer. */
const POLL_TOLERANCE_MS = 500;

/**
 * Exchanges the code of an approved login for tokens (RFC 6749 section 4.1.3, RFC 7636). A code that is used twice was
 * stolen, so its login ends.
 * @throws LoginRefusal `invalid_grant`
 */
export async function redeemCode(
  deps: Deps,
  shown: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
  from: From,
): Promise<LoginTokens> {
  const request = await requestBy(deps.metadata.read, { secretHash: sha256Hex(shown.code) });
  if (request === undefined || request.flow !== "browser" || deps.clock.nowMs() >= request.expires_at)
    throw new LoginRefusal("invalid_grant", "The code is unknown, or has expired. Run mooring login again.");
  if (request.redirect_uri !== shown.redirectUri || !isVerifier(shown.verifier, request.challenge ?? ""))
    throw new LoginRefusal("invalid_grant", "The code was issued to another command.");
  const made = await issue(deps, request, from);
  if (made !== undefined) return made;
  await endStolen(deps, request, from);
  throw new LoginRefusal("invalid_grant", "The code was used before, so its login has ended. Run mooring login again.");
}

function isVerifier(verifier: string, challenge: string): boolean {
  const [shown, kept] = [createHash("sha256").update(verifier).digest("base64url"), challenge].map((text) =>
    Buffer.from(text),
  );
  return shown !== undefined && kept !== undefined && shown.length === kept.length && timingSafeEqual(shown, kept);
}

async function endStolen(deps: Deps, { secret_hash: secretHash }: LoginRequest, from: From): Promise<void> {
  await deps.metadata.write(async (tx) => {
    const request = await requestBy(tx, { secretHash });
    if (request?.login_id === undefined || request.login_id === null) return;
    await endReused(deps, tx, request.login_id, from);
  });
}

/**
 * Answers a poll of a device (RFC 8628 section 3.5).
 * @throws LoginRefusal
 */
export async function redeemDeviceCode(deps: Deps, deviceCode: string, from: From): Promise<LoginTokens> {
  const secretHash = sha256Hex(deviceCode);
  const nowMs = deps.clock.nowMs();
  const request = await requestBy(deps.metadata.read, { secretHash });
  if (request === undefined || request.flow !== "device")
    throw new LoginRefusal("invalid_grant", "The device code is unknown.");
  if (nowMs >= request.expires_at) throw new LoginRefusal("expired_token", "The device code has expired.");
  if (request.state === "denied") throw new LoginRefusal("access_denied", "The person denied this login.");
  if (request.state === "pending") throw await pollAgain(deps, request, nowMs);
  const made = await issue(deps, request, from);
  if (made === undefined) throw new LoginRefusal("invalid_grant", "The device code was used before.");
  return made;
}

async function pollAgain(deps: Deps, request: LoginRequest, nowMs: number): Promise<LoginRefusal> {
  const { polled_at: polledMs, interval_s: intervalS } = request;
  const isEarly = polledMs !== null && nowMs - polledMs < intervalS * 1000 - POLL_TOLERANCE_MS;
  const interval_s = isEarly ? intervalS + DEVICE_POLL_S : intervalS;
  await deps.metadata.write((tx) => changeRequest(tx, request, { polled_at: nowMs, interval_s }));
  return isEarly
    ? new LoginRefusal("slow_down", `Ask at most every ${interval_s} seconds.`)
    : new LoginRefusal("authorization_pending", "The person has not decided yet.");
}

/** Creates the login of an approved request. Undefined if the request was used before. */
async function issue(deps: Deps, request: LoginRequest, from: From): Promise<LoginTokens | undefined> {
  const { user_id, org_id, method, second_factor, confirmed_at, flow, name } = request;
  if (user_id === null || org_id === null || method === null || request.state !== "approved") return undefined;
  const nowMs = deps.clock.nowMs();
  const id = newId("login", nowMs);
  const [family, secret] = [randomBytes(PART_BYTES), randomBytes(PART_BYTES)];
  const access = newAccessToken(id, nowMs);
  const row: LoginRow = {
    id,
    user_id,
    org_id,
    name,
    flow,
    method,
    second_factor: second_factor ?? 0,
    confirmed_at: confirmed_at ?? 0,
    family_hash: hashOf(family),
    refresh_hash: hashOf(secret),
    ...access.columns,
    former_hash: null,
    former_until: null,
    created_at: nowMs,
    last_used_at: nowMs,
    ip: from.ip,
  };
  const isFirst = await deps.metadata.write(async (tx) => {
    if (!(await changeRequest(tx, request, { state: "used", login_id: id }))) return false;
    await tidyLogins(deps, tx);
    await insertLogin(tx, row);
    await deleteOldestLogins(tx, user_id, LOGINS_MAX);
    const event = { orgId: org_id, userId: user_id, id, origin: from } as const;
    await auditLogin(deps, tx, { ...event, action: "login.create", detail: { name, flow } });
    return true;
  });
  return isFirst ? tokensOf(access, family, secret) : undefined;
}

/**
 * Exchanges a refresh token for new tokens. An old refresh token was copied, so its login ends.
 * @throws LoginRefusal `invalid_grant`; Problem `second_factor_required`, `provider_sign_in_required`
 */
export async function refreshLogin(deps: Deps, refreshToken: string, from: From): Promise<LoginTokens> {
  const parts = partsOf(refreshToken);
  if (parts === undefined) throw ended();
  const next = randomBytes(PART_BYTES);
  const nowMs = deps.clock.nowMs();
  const row = await loginBy(deps.metadata.read, { familyHash: hashOf(parts.family) });
  if (row === undefined || nowMs - row.last_used_at >= LOGIN_IDLE_MS) throw ended();
  const at = { nowMs, ip: from.ip, act: "keep" } as const;
  if ((await signedInPrincipal(deps.metadata.read, row.org_id, signedInOf(row), at)) === undefined) throw ended();
  const access = newAccessToken(row.id, nowMs);
  const isCurrent = await deps.metadata.write(async (tx) => {
    const former = { former_hash: row.access_hash, former_until: row.access_until };
    const change = { refresh_hash: hashOf(next), last_used_at: nowMs, ...access.columns, ...former };
    if (await rotateLogin(tx, { id: row.id, refresh_hash: hashOf(parts.secret) }, change)) return true;
    await endReused(deps, tx, row.id, from);
    return false;
  });
  if (!isCurrent)
    throw new LoginRefusal(
      "invalid_grant",
      "The refresh token was used before, so the login has ended. Sign in again.",
    );
  return tokensOf(access, parts.family, next);
}

/** Ends the login of a refresh token, current or old (RFC 7009). An unknown token counts as ended. */
export async function endLoginOf(deps: Deps, refreshToken: string, from: From): Promise<void> {
  const parts = partsOf(refreshToken);
  if (parts === undefined) return;
  const row = await loginBy(deps.metadata.read, { familyHash: hashOf(parts.family) });
  if (row !== undefined) await endLogin(deps, { id: row.id, userId: row.user_id }, from);
}

/** Ends a login of the person. Returns false if they have no such login. */
export async function endLogin(
  deps: Pick<PeopleDeps, "metadata" | "clock">,
  login: { readonly id: string; readonly userId: string },
  from: From,
): Promise<boolean> {
  return deps.metadata.write(async (tx) => {
    const [row] = await deleteLogins(tx, login);
    if (row === undefined) return false;
    const { id, org_id: orgId, user_id: userId, name } = row;
    await auditLogin(deps, tx, { orgId, userId, id, action: "login.end", origin: from, detail: { name } });
    return true;
  });
}

/** Finds the login of a refresh token, also of one that was used before. */
export async function loginOfRefreshToken(
  { metadata }: { readonly metadata: Pick<MetadataStore, "read"> },
  refreshToken: string,
): Promise<LoginRow | undefined> {
  const parts = partsOf(refreshToken);
  return parts === undefined ? undefined : loginBy(metadata.read, { familyHash: hashOf(parts.family) });
}

async function endReused(deps: Deps, tx: Writer, id: string, from: From): Promise<void> {
  const [row] = await deleteLogins(tx, { id });
  if (row === undefined) return;
  const { org_id: orgId, user_id: userId, name } = row;
  await auditLogin(deps, tx, { orgId, userId, id, action: "login.reuse", origin: from, detail: { name } });
}

function tokensOf(access: AccessToken, family: Buffer, secret: Buffer): LoginTokens {
  const refreshToken = PREFIX + Buffer.concat([family, secret]).toString("base64url");
  return { accessToken: access.text, expiresInS: LOGIN_TOKEN_LIFETIME_S, refreshToken };
}

function partsOf(token: string): { readonly family: Buffer; readonly secret: Buffer } | undefined {
  if (!token.startsWith(PREFIX) || token.length > 128) return undefined;
  const bytes = decodeBase64Url(token.slice(PREFIX.length));
  if (bytes?.length !== 2 * PART_BYTES) return undefined;
  return { family: bytes.subarray(0, PART_BYTES), secret: bytes.subarray(PART_BYTES) };
}

function hashOf(part: Buffer): string {
  return sha256Hex(part);
}

function ended(): LoginRefusal {
  return new LoginRefusal("invalid_grant", "The login has ended. Run mooring login again.");
}
