import * as people from "#domain/people/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { PortalOperation } from "../deps.ts";
import { originOf } from "../origin.ts";

export const listLogins: PortalOperation<"listLogins"> = async (deps, _input, { session }) => ({
  items: (await people.listLogins(deps.people, session.userId)).map((row) => ({
    id: row.id,
    name: row.name,
    organization: row.organization,
    flow: row.flow,
    created_at: isoFromMs(row.created_at),
    last_used_at: isoFromMs(row.last_used_at),
    expires_at: isoFromMs(people.endOfLogin(row)),
    confirmed_at: isoFromMs(row.confirmed_at),
    ip: row.ip,
  })),
});

export const deleteLogin: PortalOperation<"deleteLogin"> = async (deps, { params }, context) => {
  const which = { id: params.login_id, userId: context.session.userId };
  const ended = await people.endLogin(deps.people, which, originOf(context));
  if (!ended) throw new Problem("not_found", "You have no such login. It may have ended.");
};

/** Returns the redirect with the code (RFC 6749 section 4.1.2), and the issuer against mix-ups (RFC 9207). */
export const approveLogin: PortalOperation<"approveLogin"> = async (deps, { body }, { session, reply, ip }) => {
  const { organization, name, redirect_uri: redirectUri, code_challenge: challenge, state } = body;
  const code = await people.approveLogin(deps.people, session, { organization, name, redirectUri, challenge }, ip);
  void reply.header("cache-control", "no-store");
  const answer = new URLSearchParams({ code, state, iss: deps.identity.issuer });
  return { redirect_to: `${redirectUri}?${answer.toString()}` };
};

export const findDeviceLogin: PortalOperation<"findDeviceLogin"> = async (deps, { body }, { session }) => {
  const { name, ip, organization, created_at } = await people.findDeviceLogin(deps.people, session, body.user_code);
  return { name, ip, organization, created_at: isoFromMs(created_at) };
};

export const approveDeviceLogin: PortalOperation<"approveDeviceLogin"> = async (deps, { body }, { session, ip }) => {
  const { user_code: userCode, organization } = body;
  await people.approveDeviceLogin(deps.people, session, { userCode, organization, ip });
};

export const denyDeviceLogin: PortalOperation<"denyDeviceLogin"> = async (deps, { body }, context) => {
  await people.denyDeviceLogin(deps.people, context.session, body.user_code, originOf(context));
};
