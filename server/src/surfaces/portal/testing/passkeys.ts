import { ADDRESSES } from "./addresses.ts";
import type { Authenticator } from "./authenticator.ts";
import type { Answer, Browser } from "./browser.ts";
import type { PortalServer } from "./server.ts";

export const ORIGIN = ADDRESSES.portal_url;

/** The options for a browser, and the ticket for its answer. */
export interface Asked {
  readonly ticket: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export async function ask(browser: Browser, path: string): Promise<Asked> {
  const begun = await browser.call("POST", path, {});
  if (begun.status !== 200) throw new Error(begun.text);
  return begun.json as unknown as Asked;
}

/** Adds the authenticator's passkey to the account of the signed-in person. */
export async function addPasskey(browser: Browser, made: Authenticator, origin = ORIGIN): Promise<Answer> {
  const { ticket, options } = await ask(browser, "/api/account/passkeys/options");
  return browser.call("POST", "/api/account/passkeys", { ticket, name: "Key", response: made.create(options, origin) });
}

/** Signs in with a passkey, in a separate browser. */
export async function signInWith(
  server: PortalServer,
  made: Authenticator,
  origin = ORIGIN,
): Promise<{ answer: Answer; browser: Browser }> {
  const browser = server.browser();
  const { ticket, options } = await ask(browser, "/api/sign-in/passkey/options");
  const answer = await browser.call("POST", "/api/sign-in/passkey", { ticket, response: made.get(options, origin) });
  return { answer, browser };
}

/** Confirms the signed-in person with a passkey. */
export async function confirmWith(browser: Browser, made: Authenticator): Promise<Answer> {
  const { ticket, options } = await ask(browser, "/api/session/confirm/options");
  return browser.call("POST", "/api/session/confirm", { ticket, response: made.get(options, ORIGIN) });
}
