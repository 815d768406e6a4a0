/** What the tests of tasks share. Each task is done by the API, by the command line and, where it has a page, in the portal. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { eventually, launch, mooring } from "../fixtures/process.ts";
import { joined, openAs, tokenOf } from "../portal/people.ts";
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

/** How a command signs in. Absent: as the credential of the organization. */
interface SignIn {
  /** A personal access token or an operator token. */
  readonly token?: string;
  /** The directory with a login. */
  readonly home?: string;
}

/** Runs a command. Returns what it prints as JSON. */
export async function command<T = Record<string, unknown>>(
  portal: Portal,
  words: readonly string[],
  { input, ...signIn }: SignIn & { readonly input?: string } = {},
): Promise<T> {
  const environment = { MOORING_URL: portal.shared.server.origin, ...variablesOf(portal, signIn) };
  const { code, stdout, stderr } = await mooring(words, { environment, ...(input === undefined ? {} : { input }) });
  assert.equal(code, 0, `mooring ${words.join(" ")}: ${stderr}`);
  return (stdout.startsWith("{") || stdout.startsWith("[") ? JSON.parse(stdout) : { stdout }) as T;
}

function variablesOf({ shared: { home: organization } }: Portal, { token, home }: SignIn): Record<string, string> {
  if (home !== undefined) return { XDG_CONFIG_HOME: home };
  if (token !== undefined) return { MOORING_TOKEN: token };
  const { client_id, client_secret } = organization.credential;
  return { MOORING_CLIENT_ID: client_id, MOORING_CLIENT_SECRET: client_secret };
}

/** Signs the owner in: a token for the API, and a login of the command line in a new directory. */
export async function ownerSignIn(portal: Portal): Promise<{ session: string; home: string }> {
  const home = mkdtempSync(join(tmpdir(), "mooring-login-"));
  after(() => rmSync(home, { recursive: true, force: true }));
  const tab = await portal.open();
  const words = ["login", portal.shared.server.origin, "--device"];
  const running = launch(words, { environment: { XDG_CONFIG_HOME: home } });
  const code = await eventually("the code", () => /^ {2}([A-Z]{4}-[A-Z]{4})$/m.exec(running.stderr())?.[1]);
  await tab.go("/device");
  await tab.page.getByLabel("Code").fill(code);
  await tab.page.getByRole("button", { name: "Continue" }).click();
  await tab.page.getByRole("button", { name: "Yes, approve" }).click();
  assert.equal((await running.exited).code, 0, running.stderr());
  const session = await tokenOf(portal, tab, portal.shared.home.org.slug);
  await tab.close();
  return { session, home };
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
