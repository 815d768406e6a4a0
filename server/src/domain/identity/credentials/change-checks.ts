import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { wasOrHas } from "./adopt.ts";
import { tableRuleOf } from "./kinds.ts";
import { readParents } from "./parents.ts";
import { conditionOf, stateAt } from "./state.ts";
import type { AnyContext } from "./store.ts";

/** Checks whether the state of a credential allows a change. */
export type Check = (tx: Writer, context: AnyContext, nowMs: number) => Promise<void>;

/** @throws Problem `conflict` if it was revoked */
export const requireUnrevoked: Check = async (_tx, context) => {
  const { noun } = tableRuleOf(context);
  if (context.revoked_at !== null) throw new Problem("conflict", `The ${noun} is revoked. Create another one.`);
};

/** @throws Problem `conflict` with the reason, if it can't be used now */
export const requireUsable: Check = async (tx, context, nowMs) => {
  await requireUnrevoked(tx, context, nowMs);
  const { name, reason } = conditionOf(stateAt(context, await readParents(tx, context), nowMs), nowMs);
  const { noun } = tableRuleOf(context);
  if (name === "ended") throw new Problem("conflict", `The ${noun} ${wasOrHas(String(reason))}. ${WHAT_TO_DO}`);
  if (name === "idle")
    throw new Problem("conflict", `The ${noun} has no permission now, because ${String(reason)}. ${WHAT_TO_DO}`);
};

const WHAT_TO_DO = "Adopt it to use it again, or create another one.";
