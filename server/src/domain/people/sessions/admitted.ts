import type { PersonPrincipal } from "#domain/identity/index.ts";
import { signedInPrincipal, type SignedIn } from "#domain/organizations/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { reading } from "./sessions.ts";

export const NO_MEMBER = "You are no longer a member of this organization, or your membership has ended.";

/** The address of a request, and what it does. `keep`: people may do it in a deleted organization. */
export interface RequestFrom {
  readonly ip: string | null | undefined;
  readonly act?: "keep" | undefined;
}

/**
 * Returns the person as a principal. An unreachable database is the server's error. A requirement that the session does
 * not meet is the person's.
 */
export async function admitted(
  { metadata, clock }: { readonly metadata: Pick<MetadataStore, "read">; readonly clock: Clock },
  org: string,
  session: SignedIn,
  { ip, act }: RequestFrom,
): Promise<PersonPrincipal | undefined> {
  const answer = signedInPrincipal(metadata.read, org, session, { nowMs: clock.nowMs(), ip, act }).catch(
    (error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    },
  );
  const person = await reading(answer);
  if (person instanceof Problem) throw person;
  return person;
}
