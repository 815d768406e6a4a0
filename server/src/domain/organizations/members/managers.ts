import { holds, type Loss } from "#domain/identity/index.ts";
import { projectByName, resourceOf } from "#domain/projects/index.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { maintainersOf } from "../projects/store.ts";
import { personPrincipal } from "./person.ts";
import { adminsOf } from "./store.ts";

/** A person who manages credentials, and those of the losses that they may see. */
export interface Manager {
  readonly userId: string;
  readonly email: string;
  readonly losses: readonly Loss[];
}

/** A large organization must not get a mail for each of its admins. */
const MANAGERS_MAX = 20;

/**
 * Returns the managers of credentials that lost scopes: the owners and admins of the organization, and the maintainers of
 * their projects. Developers may manage them too, but are too many.
 */
export async function managersOf(
  db: Reader,
  orgId: string,
  losses: readonly Loss[],
  { except, nowMs }: { readonly except: string | undefined; readonly nowMs: number },
): Promise<Manager[]> {
  const people = new Set(await adminsOf(db, orgId, MANAGERS_MAX));
  for (const projectId of new Set(losses.map(({ context }) => context.project_id))) {
    const project = projectId === null ? undefined : await projectByName(db, orgId, projectId);
    if (project !== undefined) for (const id of await maintainersOf(db, project)) people.add(id);
  }
  const managers: Manager[] = [];
  for (const userId of people) {
    if (managers.length === MANAGERS_MAX) break;
    const person = userId === except ? undefined : await personPrincipal(db, orgId, userId, nowMs);
    if (person === undefined) continue;
    const seen = losses.filter(({ context }) => holds(person, "credentials:write", resourceOf(context)));
    if (seen.length > 0) managers.push({ userId, email: person.email, losses: seen });
  }
  return managers;
}
