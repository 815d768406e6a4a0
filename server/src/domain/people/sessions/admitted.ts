import type { PersonPrincipal } from "#domain/identity/index.ts";
import { signedInPrincipal, type SignedIn } from "#domain/organizations/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { reading } from "./sessions.ts";

/**
 * Returns the person as a principal. An unreachable database is the server's error. A requirement that the session does
 * not meet is the person's.
 */
export async function admitted(
  metadata: Pick<MetadataStore, "read">,
  org: string,
  session: SignedIn,
): Promise<PersonPrincipal | undefined> {
  const answer = signedInPrincipal(metadata.read, org, session).catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
  const person = await reading(answer);
  if (person instanceof Problem) throw person;
  return person;
}
