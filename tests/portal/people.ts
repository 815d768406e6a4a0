/** People of an organization, each signed in with a browser. */
import assert from "node:assert/strict";
import { PASSWORD, type Portal, type Tab } from "./browser.ts";

/** Invites a person and accepts the invitation. Returns their ID. */
export async function joined(portal: Portal, email: string, role = "viewer"): Promise<string> {
  const { server, token } = portal.shared;
  const invitation = await server.call("POST", "/v1/invitations", { token, json: { email, role } });
  assert.equal(invitation.status, 201, invitation.text);
  const [, secret = ""] = String(invitation.body["link"]).split("#");
  const [name = email] = email.split("@");
  const accepted = await server.call("POST", "/v1/invitations/accept", {
    json: { token: secret, name, password: PASSWORD },
  });
  assert.ok(accepted.status < 300, accepted.text);
  return (accepted.body["user"] as { id: string }).id;
}

/** Signs a person in by password. */
export async function openAs(portal: Portal, email: string, password = PASSWORD): Promise<Tab> {
  const tab = await portal.openEmpty();
  const { origin } = portal.shared.server;
  const signedIn = await tab.context.request.post(`${origin}/api/sign-in/password`, {
    data: { email, password },
    headers: { origin },
  });
  assert.equal(signedIn.status(), 200, await signedIn.text());
  return tab;
}

/** Sends a request of the signed-in person to the portal's own operations. */
export async function sessionCall(
  portal: Portal,
  tab: Tab,
  method: string,
  path: string,
  data: object = {},
): Promise<Record<string, unknown>> {
  const { origin } = portal.shared.server;
  const answer = await tab.context.request.fetch(origin + path, { method, data, headers: { origin } });
  const text = await answer.text();
  assert.ok(answer.ok(), `${method} ${path}: ${answer.status()} ${text}`);
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** Returns a token of the signed-in person, for the public operations of an organization. */
export async function tokenOf(portal: Portal, tab: Tab, organization: string): Promise<string> {
  const { access_token } = await sessionCall(portal, tab, "POST", "/api/session/token", { organization });
  return String(access_token);
}
