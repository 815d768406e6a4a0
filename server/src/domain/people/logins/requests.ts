import { randomInt } from "node:crypto";
import { requireDeviceLogin, signedInPrincipal } from "#domain/organizations/index.ts";
import { absent } from "#domain/identity/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import {
  DEVICE_CODE_MS,
  DEVICE_CODES_MAX,
  DEVICE_CODES_OF_ADDRESS_MAX,
  DEVICE_POLL_S,
  LOGIN_CODE_MS,
} from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { newSecret } from "#kernel/secrets.ts";
import type { Reader } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import type { Session } from "../sessions/sessions.ts";
import { membershipBySlug } from "../store.ts";
import { auditLogin } from "./audit.ts";
import { changeRequest, countRequests, insertRequest, requestBy, type LoginRequest } from "./store.ts";

/** A command's request for a code, which a person approves in a browser on the same machine. */
export interface NewLogin {
  readonly organization: string;
  readonly name: string;
  readonly redirectUri: string;
  /** A challenge of the method S256. */
  readonly challenge: string;
}

type Deps = Pick<PeopleDeps, "metadata" | "clock" | "userCodes">;

/** Letters without vowels, so that no word appears, and without look-alikes (RFC 8628 section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE_LETTERS = 8;
/** RFC 8252 section 7.3: a literal address, because `localhost` may resolve to another machine. */
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):[0-9]{1,5}\/[a-z]{0,20}$/;

/**
 * Approves a login. Returns the code for the redirect to the command.
 * @throws Problem `not_found` (the organization), `invalid_body`, `address_not_allowed`, `second_factor_required`,
 * `provider_sign_in_required`
 */
export async function approveLogin(deps: Deps, session: Session, input: NewLogin, ip?: string | null): Promise<string> {
  if (!LOOPBACK.test(input.redirectUri) || !URL.canParse(input.redirectUri))
    throw new Problem("invalid_body", "The command line must wait at a loopback address of this machine.", {
      errors: [{ pointer: "/redirect_uri", detail: "must be http://127.0.0.1:PORT/… or http://[::1]:PORT/…" }],
    });
  const approval = await approvalOf(deps, session, { organization: input.organization, ip });
  const code = newSecret("mrac");
  const nowMs = deps.clock.nowMs();
  await deps.metadata.write((tx) =>
    insertRequest(tx, {
      ...emptyRequest(sha256Hex(code), nowMs),
      ...approval,
      flow: "browser",
      name: input.name,
      organization: input.organization,
      redirect_uri: input.redirectUri,
      challenge: input.challenge,
      expires_at: nowMs + LOGIN_CODE_MS,
    }),
  );
  return code;
}

export interface DeviceCodes {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly expiresInS: number;
  readonly intervalS: number;
}

/** Begins a login on a machine without a browser. @throws Problem `rate_limited` */
export async function beginDeviceLogin(
  deps: Deps,
  input: { readonly name: string; readonly organization: string | null },
  ip: string | null,
): Promise<DeviceCodes> {
  const deviceCode = newSecret("mrdc");
  const userCode = Array.from({ length: USER_CODE_LETTERS }, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");
  const nowMs = deps.clock.nowMs();
  await deps.metadata.write(async (tx) => {
    await requireRoom(tx, nowMs, ip);
    await insertRequest(tx, {
      ...emptyRequest(sha256Hex(deviceCode), nowMs),
      flow: "device",
      user_code_hash: sha256Hex(userCode),
      ...input,
      ip,
      expires_at: nowMs + DEVICE_CODE_MS,
    });
  });
  const half = USER_CODE_LETTERS / 2;
  return {
    deviceCode,
    userCode: `${userCode.slice(0, half)}-${userCode.slice(half)}`,
    expiresInS: DEVICE_CODE_MS / 1000,
    intervalS: DEVICE_POLL_S,
  };
}

/** Everybody may begin, so the waiting requests have a limit. */
async function requireRoom(db: Reader, nowMs: number, ip: string | null): Promise<void> {
  const [here, all] = [await countRequests(db, nowMs, ip), await countRequests(db, nowMs)];
  if (here < DEVICE_CODES_OF_ADDRESS_MAX && all < DEVICE_CODES_MAX) return;
  throw new Problem("rate_limited", "Too many logins wait for their person. Try again in ten minutes.", {
    retryAfterS: DEVICE_CODE_MS / 1000,
  });
}

/**
 * Finds the request of a code that a person typed. After five wrong codes the person must wait before each further one.
 * @throws Problem `not_found`, `rate_limited`
 */
export async function findDeviceLogin(deps: Deps, session: Session, userCode: string): Promise<LoginRequest> {
  deps.userCodes.check(session.userId);
  const request = await requestBy(deps.metadata.read, { userCodeHash: sha256Hex(lettersOf(userCode)) });
  if (request !== undefined && request.state === "pending" && deps.clock.nowMs() < request.expires_at) return request;
  deps.userCodes.fail(session.userId);
  throw new Problem("not_found", "No login waits for this code. Check the code, or run the command again.");
}

/**
 * Approves a device's login.
 * @throws Problem as `findDeviceLogin` and `approveLogin`; `forbidden` (the policy), `conflict` (decided already)
 */
export async function approveDeviceLogin(
  deps: Deps,
  session: Session,
  input: { readonly userCode: string; readonly organization: string; readonly ip?: string | null },
): Promise<void> {
  const request = await findDeviceLogin(deps, session, input.userCode);
  const approval = await approvalOf(deps, session, input);
  await requireDeviceLogin(deps.metadata.read, approval.org_id);
  const changed = await deps.metadata.write((tx) => changeRequest(tx, request, approval));
  if (!changed) throw decided();
}

/** @throws Problem as `findDeviceLogin`, `conflict` */
export async function denyDeviceLogin(deps: Deps, session: Session, userCode: string, origin: Origin): Promise<void> {
  const request = await findDeviceLogin(deps, session, userCode);
  const denied = await deps.metadata.write(async (tx) => {
    if (!(await changeRequest(tx, request, { state: "denied" }))) return false;
    const detail = { name: request.name, asked_from: request.ip };
    await auditLogin(deps, tx, { orgId: null, userId: session.userId, id: null, action: "login.deny", origin, detail });
    return true;
  });
  if (!denied) throw decided();
}

function decided(): Problem {
  return new Problem("conflict", "This login was approved or denied in the meantime.");
}

/** Returns the person's sign-in as it is now. The login counts as the same sign-in. */
async function approvalOf(
  { clock, metadata }: Pick<PeopleDeps, "clock" | "metadata">,
  session: Session,
  { organization, ip }: { readonly organization: string; readonly ip?: string | null | undefined },
) {
  const db = metadata.read;
  const { userId: user_id, method, hasSecondFactor, confirmedAtMs: confirmed_at } = session;
  const org_id = await membershipBySlug(db, user_id, organization);
  const at = { nowMs: clock.nowMs(), ip, act: "keep" } as const;
  const person = org_id === undefined ? undefined : await signedInPrincipal(db, org_id, session, at);
  if (org_id === undefined || person === undefined) throw absent();
  return { state: "approved", user_id, org_id, method, second_factor: hasSecondFactor ? 1 : 0, confirmed_at } as const;
}

function emptyRequest(secretHash: string, nowMs: number): LoginRequest {
  return {
    secret_hash: secretHash,
    flow: "browser",
    user_code_hash: null,
    name: "",
    ip: null,
    organization: null,
    redirect_uri: null,
    challenge: null,
    state: "pending",
    user_id: null,
    org_id: null,
    method: null,
    second_factor: null,
    confirmed_at: null,
    login_id: null,
    polled_at: null,
    interval_s: DEVICE_POLL_S,
    created_at: nowMs,
    expires_at: nowMs,
  };
}

/** People type codes with spaces, hyphens and small letters. */
function lettersOf(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z]/g, "");
}
