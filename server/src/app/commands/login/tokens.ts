import {
  ApiError,
  createClient,
  endLogin,
  loginTokens,
  type Addresses,
  type LoginAnswer,
  type Tokens,
} from "@mooring/client";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import { CommandError, ExitCode } from "../command.ts";
import { onInterrupt } from "../interrupt.ts";
import { byBrowser, byDevice } from "./sign-in.ts";
import { changeLogins, isSameLogin, readLogins, type StoredLogin } from "./store.ts";

/** The server ends a login that was not used for this long. */
const IDLE_MS = 30 * 24 * 60 * 60_000;
/** A token is renewed this long before it expires. */
const EARLY_MS = 60_000;

/** Returns the tokens of a stored login. Commands that run at the same time share them by the file. */
export function storedTokens(login: StoredLogin, clock: Clock): Tokens {
  let current = login;
  const isFresh = (stored: StoredLogin, refused: string | undefined): boolean =>
    stored.access_token !== refused && Date.parse(stored.access_until) - EARLY_MS > clock.nowMs();
  return {
    get: async (refused) => {
      if (isFresh(current, refused)) return current.access_token;
      current = await changeLogins(async (logins) => {
        const stored = logins.find((one) => isSameLogin(one, current));
        if (stored === undefined) throw signedOut(current);
        if (isFresh(stored, refused)) return { logins, result: stored };
        const renewed = await renew(stored, clock);
        return { logins: logins.map((one) => (isSameLogin(one, stored) ? renewed : one)), result: renewed };
      });
      return current.access_token;
    },
    prove: async () => {
      if (!isPersonPresent()) return false;
      process.stderr.write("This act needs a new sign-in.\n");
      const former = readLogins().find((one) => isSameLogin(one, current));
      current = await signInAgain(current, clock);
      if (former !== undefined) await endLogin(current.addresses, former.refresh_token).catch(() => undefined);
      return true;
    },
  };
}

/** Whether a person can be asked: scripts have no terminal. */
function isPersonPresent(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

async function renew(stored: StoredLogin, clock: Clock): Promise<StoredLogin> {
  try {
    const { addresses, refresh_token } = stored;
    const answer = await loginTokens(addresses, { grant_type: "refresh_token", refresh_token });
    return { ...stored, ...tokenMembers(answer, clock) };
  } catch (error) {
    if (error instanceof ApiError && error.code === "invalid_grant") throw signedOut(stored);
    throw error;
  }
}

function signedOut({ url, organization }: StoredLogin): CommandError {
  return new CommandError(
    `your login to ${organization} at ${url} has ended; run mooring login ${url} --org ${organization}`,
    ExitCode.denied,
  );
}

function signInAgain(login: StoredLogin, clock: Clock): Promise<StoredLogin> {
  const { url, organization, flow, addresses } = login;
  return signIn({ url, organization, flow, addresses, who: (token) => whoIs(addresses, token) }, clock);
}

export interface SigningIn {
  readonly url: string;
  /** Undefined: the person chooses in the browser. */
  readonly organization: string | undefined;
  readonly flow: StoredLogin["flow"];
  readonly addresses: Addresses;
  /** Reads the person and the organization of the new token. */
  who(accessToken: string): Promise<Pick<StoredLogin, "email" | "organization">>;
}

/** Signs a person in, and stores the login as the newest one. */
export async function signIn(asked: SigningIn, clock: Clock): Promise<StoredLogin> {
  const interrupt = onInterrupt();
  try {
    const way = asked.flow === "device" ? byDevice : byBrowser;
    const answer = await way({ ...asked, signal: interrupt.signal });
    const { email, organization } = await asked.who(answer.access_token);
    const { url, flow, addresses } = asked;
    const login: StoredLogin = { url, organization, email, flow, addresses, ...tokenMembers(answer, clock) };
    return await changeLogins(async (logins) => ({
      logins: [login, ...logins.filter((one) => !isSameLogin(one, login))],
      result: login,
    }));
  } catch (error) {
    if (interrupt.signal.aborted) throw new CommandError("interrupted", ExitCode.interrupted);
    throw error;
  } finally {
    interrupt.release();
  }
}

/** Reads the person and the organization of a token. */
export async function whoIs(
  addresses: Addresses,
  accessToken: string,
): Promise<Pick<StoredLogin, "email" | "organization">> {
  const client = createClient({ addresses, tokens: { get: async () => accessToken } });
  const { email, organization } = await client.call(ORGANIZATION_ROUTES.getMe, { purpose: "read who signed in" });
  return { email: email ?? "", organization: organization.slug };
}

function tokenMembers({ access_token, refresh_token, expires_in: lifeS }: LoginAnswer, clock: Clock) {
  const nowMs = clock.nowMs();
  return {
    access_token,
    access_until: isoFromMs(nowMs + lifeS * 1000),
    refresh_token,
    until: isoFromMs(nowMs + IDLE_MS),
  };
}
