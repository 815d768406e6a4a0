import { isLive, principalOfState, readState, type Principal } from "#domain/identity/index.ts";
import { isId } from "#kernel/ids.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { personPrincipal } from "./person.ts";

/**
 * Returns the current principal of a person or credential, without caches. Undefined if it has no permissions any more.
 */
export async function principalNow(
  metadata: Pick<MetadataStore, "read">,
  orgId: string,
  id: string,
  nowMs: number,
): Promise<Principal | undefined> {
  if (!isId("cred", id)) return personPrincipal(metadata.read, orgId, id, nowMs);
  const state = await readState(metadata, { id }, nowMs);
  if (state === undefined || state.orgId !== orgId || !isLive(state, nowMs)) return undefined;
  return principalOfState(state);
}
