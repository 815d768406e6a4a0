import { createHash, randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { ApiError, beginDeviceLogin, loginTokens, type Addresses, type LoginAnswer } from "@mooring/client";
import { LOGIN_CLIENT_ID } from "@mooring/contract";
import { CommandError, ExitCode } from "../command.ts";
import { printable } from "../printable.ts";
import { openBrowser } from "./browser.ts";
import { openLoopback } from "./loopback.ts";

export interface Asked {
  readonly addresses: Addresses;
  readonly organization: string | undefined;
  readonly signal: AbortSignal;
}

const DEVICE_CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
/** How long the command waits for the person. */
const WAIT_MS = 10 * 60_000;

/** Signs in with a browser on this machine (RFC 8252, RFC 7636). @throws CommandError, ApiError, UnreachableError */
export async function byBrowser({ addresses, organization, signal }: Asked): Promise<LoginAnswer> {
  const verifier = randomBytes(32).toString("base64url");
  // The letter keeps pages from reading a state of digits as a number.
  const state = `s${randomBytes(32).toString("base64url")}`;
  const loopback = await openLoopback(state);
  try {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: LOGIN_CLIENT_ID,
      redirect_uri: loopback.redirectUri,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      state,
      name: machineName(),
      ...(organization === undefined ? {} : { organization }),
    });
    const address = `${addresses.portal_url}/authorize?${query.toString()}`;
    const isOpen = await openBrowser(address);
    tell(
      isOpen
        ? "Approve the login in your browser. If it does not open, open this address:"
        : "Open this address in a browser on this machine:",
    );
    tell(`  ${address}`);
    const answer = await firstOf(loopback.redirected, signal);
    return await loginTokens(addresses, {
      grant_type: "authorization_code",
      code: codeOf(answer, addresses),
      redirect_uri: loopback.redirectUri,
      code_verifier: verifier,
    });
  } finally {
    loopback.close();
  }
}

/** Checks the issuer, so that a code of another server is never sent to this one (RFC 9207). */
function codeOf(answer: URLSearchParams, { identity_url: issuer }: Addresses): string {
  const code = answer.get("code");
  if (code === null) throw new CommandError("the login was denied", ExitCode.denied);
  if (answer.get("iss") !== issuer) throw new CommandError("the login came from another server", ExitCode.denied);
  return code;
}

async function firstOf<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const ended = new AbortController();
  const late = pause(WAIT_MS, undefined, { signal: AbortSignal.any([signal, ended.signal]) }).then(() => {
    throw new CommandError("nobody approved the login within ten minutes", ExitCode.denied);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
    late.catch(() => undefined);
  }
}

/** Signs in with a code that the person types in a browser elsewhere (RFC 8628). */
export async function byDevice({ addresses, organization, signal }: Asked): Promise<LoginAnswer> {
  const begun = await beginDeviceLogin(addresses, {
    name: machineName(),
    ...(organization === undefined ? {} : { organization }),
  });
  tell(
    `Open ${printable(begun.verification_uri)} in a browser, and enter this code within ${Math.round(begun.expires_in / 60)} minutes:`,
  );
  tell(`  ${printable(begun.user_code)}`);
  let intervalS = begun.interval;
  for (let waitedS = 0; waitedS <= begun.expires_in; waitedS += intervalS) {
    await pause(intervalS * 1000, undefined, { signal });
    try {
      return await loginTokens(addresses, { grant_type: DEVICE_CODE_GRANT, device_code: begun.device_code });
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "";
      if (code === "access_denied") throw new CommandError("the login was denied", ExitCode.denied);
      if (code === "expired_token") break;
      if (code === "slow_down") intervalS += 5;
      else if (code !== "authorization_pending") throw error;
    }
  }
  throw new CommandError("nobody approved the login in time; run the command again", ExitCode.denied);
}

/** The person reads it when they approve the login. */
function machineName(): string {
  return `${userInfo().username}@${hostname()}`.replaceAll(/[^\p{L}\p{N} ._@-]/gu, "_").slice(0, 100);
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
