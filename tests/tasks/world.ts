/** What the tests of tasks share. Each task is done by the API, by the command line and, where it has a page, in the portal. */
import assert from "node:assert/strict";
import { mooring } from "../fixtures/process.ts";
import { ALL_SCOPES } from "../fixtures/scopes.ts";
import { joined, openAs, sessionCall, tokenOf } from "../portal/people.ts";
import type { Portal, Tab } from "../portal/browser.ts";

/** A person with a token for the API, from their session. */
export interface Member {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** Invites a person who accepts, and signs in. */
export async function member(portal: Portal, name: string, role: string): Promise<Member> {
  const email = `${name}@example.org`;
  const id = await joined(portal, email, role);
  const tab = await openAs(portal, email);
  const token = await tokenOf(portal, tab, portal.shared.home.org.slug);
  await tab.close();
  return { id, email, token };
}

/** Calls the public API. @throws AssertionError unless it answers with this status, or one below 300 */
export async function api<T = Record<string, unknown>>(
  portal: Portal,
  method: string,
  path: string,
  { json, token = portal.shared.token, status }: { json?: object; token?: string; status?: number } = {},
): Promise<T> {
  const answer = await portal.shared.server.call<T>(method, path, { token, ...(json === undefined ? {} : { json }) });
  if (status === undefined) assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  else assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
  return answer.text === "" ? ({} as T) : answer.body;
}

/**
 * Runs a command as the credential of the organization, or with a personal access token. Returns what it prints as JSON.
 */
export async function command<T = Record<string, unknown>>(
  portal: Portal,
  words: readonly string[],
  { token, input }: { token?: string; input?: string } = {},
): Promise<T> {
  const { client_id, client_secret } = portal.shared.home.credential;
  const client = { MOORING_CLIENT_ID: client_id, MOORING_CLIENT_SECRET: client_secret };
  const signIn = token === undefined ? client : { MOORING_TOKEN: token };
  const environment = { MOORING_URL: portal.shared.server.origin, ...signIn };
  const { code, stdout, stderr } = await mooring(words, { environment, ...(input === undefined ? {} : { input }) });
  assert.equal(code, 0, `mooring ${words.join(" ")}: ${stderr}`);
  return (stdout.startsWith("{") || stdout.startsWith("[") ? JSON.parse(stdout) : { stdout }) as T;
}

/** Returns tokens of the owner: of their session, and a personal one for commands. */
export async function ownerTokens(portal: Portal): Promise<{ session: string; personal: string }> {
  const organization = portal.shared.home.org.slug;
  const tab = await portal.open();
  const json = { organization, name: "terminal", scopes: ALL_SCOPES };
  const { token } = await sessionCall(portal, tab, "POST", "/api/account/tokens", json);
  const session = await tokenOf(portal, tab, organization);
  await tab.close();
  return { session, personal: String(token) };
}

/** Opens a page of the organization as its owner. */
export async function openPage(portal: Portal, path: string): Promise<Tab> {
  const tab = await portal.open();
  await tab.go(pathOf(portal, path));
  return tab;
}

export function pathOf(portal: Portal, path: string): string {
  return `/o/${portal.shared.home.org.slug}/-/${path}`;
}
