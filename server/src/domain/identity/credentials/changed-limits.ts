import { isWithin } from "#domain/identity/access/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { ActorContext } from "./actor.ts";
import type { CredentialChange } from "./input.ts";
import { KINDS, kindOf } from "./kinds.ts";
import { parseLimits, renderLimits } from "./limits.ts";
import { requireResources } from "./resources.ts";
import type { AnyContext } from "./store.ts";

/** Returns the resources of a credential after a change, and what the change does. */
export async function changedLimits(
  tx: Writer,
  { actor }: ActorContext,
  { resources: column, project_id: projectId, ...row }: AnyContext,
  { resources }: CredentialChange,
) {
  const before = parseLimits(column);
  if (resources === undefined) return { after: before, column, isWider: false, isNarrower: false, detail: {} };
  const place = { actor, projectId, kinds: KINDS[kindOf(row)].resources, before };
  const after = resources === null ? undefined : await requireResources(tx, resources, place);
  const next = after === undefined ? null : renderLimits(after);
  const detail = { resources: { before: jsonOf(column), after: jsonOf(next) } };
  return { after, column: next, isWider: !isWithin(after, before), isNarrower: !isWithin(before, after), detail };
}

function jsonOf(column: string | null): unknown {
  return column === null ? null : JSON.parse(column);
}
