import type { PersonPrincipal } from "#domain/identity/index.ts";
import { signedInPrincipal, type SignedIn } from "#domain/organizations/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { reading } from "./sessions.ts";

export const NO_MEMBER = "You are no longer a member of this organization, or your membership has ended.";

/**
 * Returns the person as a principal. An unreachable database is the server's error. A requirement that the session does
 * not meet is the person's.
 */
export async function admitted(
  { metadata, clock }: { readonly metadata: Pick<MetadataStore, "read">; readonly clock: Clock },
  org: string,
  session: SignedIn,
  ip: string | null | undefined,
): Promise<PersonPrincipal | undefined> {
  const answer = signedInPrincipal(metadata.read, org, session, { nowMs: clock.nowMs(), ip }).catch(
    (error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    },
  );
  const person = await reading(answer);
  if (person instanceof Problem) throw person;
  return person;
}
