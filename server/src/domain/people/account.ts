import { auditPerson } from "#domain/accounts/index.ts";
import { hashPassword } from "#domain/organizations/index.ts";
import type { Origin, PeopleDeps } from "./deps.ts";
import type { Session } from "./sessions/sessions.ts";
import { deleteLogins } from "./logins/store.ts";
import { deleteSessions } from "./sessions/store.ts";
import { updatePerson } from "./store.ts";

export async function rename(deps: PeopleDeps, session: Session, name: string, origin: Origin): Promise<void> {
  await deps.metadata.write(async (tx) => {
    await updatePerson(tx, session.userId, { name });
    await auditPerson(deps, tx, session.userId, { action: "person.update", origin, detail: { name } });
  });
}

/**
 * Changes the password. All other sessions and all logins of the command line end, because somebody with the old
 * password may have opened them.
 * @throws Problem `unavailable`
 */
export async function changePassword(
  deps: PeopleDeps,
  session: Session,
  password: string,
  origin: Origin,
): Promise<void> {
  const password_hash = await deps.throttle.hash(() => hashPassword(password));
  await deps.metadata.write(async (tx) => {
    await updatePerson(tx, session.userId, { password_hash });
    await deleteLogins(tx, { userId: session.userId });
    const ended = await deleteSessions(tx, session.userId, { allBut: session.id });
    await auditPerson(deps, tx, session.userId, { action: "password.change", origin, detail: { ended } });
  });
}
