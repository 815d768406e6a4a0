import type { AuditEvent } from "#domain/audit/index.ts";
import { Problem } from "#kernel/problem.ts";
import { auditPerson } from "./audit.ts";
import type { AccountsDeps, Origin } from "./deps.ts";
import { countLogins, deleteSessionsOf, personByEmail } from "./store.ts";

export interface EndedSessions {
  readonly sessions: number;
  readonly logins: number;
}

/**
 * Ends all sessions of a person, and their logins of the command line, in every organization. Personal access tokens
 * stay. For the operator.
 * @throws Problem `not_found`
 */
export async function endSessionsOf(
  deps: AccountsDeps,
  email: string,
  { actor, origin }: { readonly actor: AuditEvent["actor"]; readonly origin: Origin },
): Promise<EndedSessions> {
  return deps.metadata.write(async (tx) => {
    const person = await personByEmail(tx, email.toLowerCase());
    if (person === undefined) throw new Problem("not_found", "There is no such account.");
    const logins = await countLogins(tx, person.id);
    const sessions = await deleteSessionsOf(tx, person.id);
    await auditPerson(deps, tx, person.id, { action: "session.end_all", actor, origin, detail: { sessions, logins } });
    return { sessions, logins };
  });
}
