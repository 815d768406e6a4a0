import { isLive, readState, type Principal } from "#domain/identity/index.ts";
import { isId } from "#kernel/ids.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { personPrincipal } from "./members.ts";

/** A person or credential as it is now, read past every cache; undefined when it may do nothing any more. */
export async function principalNow(
  metadata: Pick<MetadataStore, "read">,
  orgId: string,
  id: string,
  nowMs: number,
): Promise<Principal | undefined> {
  if (!isId("cred", id)) return personPrincipal(metadata.read, orgId, id);
  const state = await readState(metadata, { id });
  if (state === undefined || state.orgId !== orgId || !isLive(state, nowMs)) return undefined;
  const { clientId, orgSlug, projectId, projectState, scopes, withheld } = state;
  return { kind: "credential", id, clientId, orgId, orgSlug, projectId, projectState, scopes, withheld };
}
