import { endOtherSessions, endSession, listSessions as list } from "#domain/people/index.ts";
import { Problem } from "#kernel/problem.ts";
import { endCookie } from "../cookie.ts";
import type { PortalOperation } from "../deps.ts";
import { browserSessionBody } from "../model.ts";
import { originOf } from "../origin.ts";

export const listSessions: PortalOperation<"listSessions"> = async (deps, _input, { session }) => ({
  items: (await list(deps.people, session.userId)).map((row) => browserSessionBody(row, session.id)),
});

/** Ends a session and its access tokens, at once and on every node. */
export const deleteSession: PortalOperation<"deleteSession"> = async (deps, { params }, context) => {
  const { session, reply } = context;
  const which = { id: params.session_id, userId: session.userId };
  const ended = await endSession(deps.people, which, { origin: originOf(context), action: "session.end" });
  if (!ended) throw new Problem("not_found", "You have no such session. It may have expired.");
  if (which.id === session.id) endCookie(reply);
};

export const deleteOtherSessions: PortalOperation<"deleteOtherSessions"> = async (deps, _input, context) => ({
  ended: await endOtherSessions(deps.people, context.session, originOf(context)),
});
