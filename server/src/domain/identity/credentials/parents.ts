import type { MemberRole } from "@mooring/contract";
import { isId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { hasPassed } from "#kernel/time.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { CREATED_BY_SYSTEM } from "./bounds.ts";
import { childIds, findContext, type AnyContext, type CredentialContext } from "./store.ts";

/** The chain of a credential: the credential that is responsible for it, the one that is responsible for that one, … */

/** The most credentials in a chain. Beyond it, nothing is allowed. */
const CHAIN_MAX = 8;

/** Returns the chain above a credential, nearest first. */
export async function readParents(db: Reader, context: AnyContext): Promise<CredentialContext[]> {
  const chain: CredentialContext[] = [];
  let last = context;
  while (isId("cred", last.responsible) && chain.length < CHAIN_MAX) {
    const parent = await findContext(db, "credential", { id: last.responsible });
    if (parent === undefined || parent.org_id !== context.org_id) break;
    chain.push(parent);
    last = parent;
  }
  return chain;
}

/** The person behind a credential, or `system`. */
export type Originator =
  | "system"
  | {
      readonly userId: string;
      /** Null: the person has left. */
      readonly role: MemberRole | null;
      /** When their membership ends. Null: no end. */
      readonly endsAtMs: number | null;
    };

/** Returns who is at the beginning of the chain. Undefined: the chain is broken. */
export function originOf(
  context: AnyContext,
  chain: readonly CredentialContext[],
  nowMs: number,
): Originator | undefined {
  const { responsible, responsible_role: role, responsible_until: endsAtMs } = chain.at(-1) ?? context;
  if (responsible === CREATED_BY_SYSTEM) return "system";
  return isId("cred", responsible)
    ? undefined
    : { userId: responsible, role: hasPassed(endsAtMs, nowMs) ? null : role, endsAtMs };
}

/** Reads who is at the beginning of the chain of a credential. */
export async function readOrigin(
  db: Reader,
  orgId: string,
  id: string,
  nowMs: number,
): Promise<Originator | undefined> {
  const context = await findContext(db, "credential", { id });
  if (context?.org_id !== orgId) return undefined;
  return originOf(context, await readParents(db, context), nowMs);
}

/**
 * Checks that a chain gets no circle, and does not become too long. `below`: the credential that gets this parent.
 * Absent: a new one.
 * @throws Problem `forbidden`, `conflict`
 */
export async function requireDepth(db: Reader, parentId: string, below?: AnyContext): Promise<void> {
  const parent = await findContext(db, "credential", { id: parentId });
  if (parent === undefined) return;
  const above = [parent, ...(await readParents(db, parent))];
  if (below !== undefined && above.some(({ id }) => id === below.id))
    throw new Problem("conflict", "It is responsible for the credential that you use, so that one can't adopt it.");
  const height = below === undefined ? 1 : await heightOf(db, below);
  if (above.length + height <= CHAIN_MAX) return;
  throw new Problem(
    "forbidden",
    `A chain of credentials that create credentials has at most ${CHAIN_MAX} of them. Let a person ${below === undefined ? "create" : "adopt"} this one.`,
  );
}

/** Returns the number of credentials in the longest chain below a credential, with itself. */
async function heightOf(db: Reader, { id, org_id: orgId }: AnyContext): Promise<number> {
  let height = 0;
  let level = [id];
  while (level.length > 0 && height < CHAIN_MAX) {
    height += 1;
    level = await childIds(db, orgId, level);
  }
  return height;
}
