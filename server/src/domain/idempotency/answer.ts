import { AsyncLocalStorage } from "node:async_hooks";
import type { Reader, Writer } from "#stores/metadata/index.ts";

/** Renders the answer from the result of a transaction. `db` sees what the transaction wrote. */
export type Render<M, A> = (made: M, db: Reader) => A | Promise<A>;

interface Answering {
  readonly render: Render<unknown, unknown>;
  kept: { readonly answer: unknown } | undefined;
}

/** Records an answer under the key of the request. */
export type Record = (tx: Writer, answer: unknown) => void;

const answerings = new AsyncLocalStorage<Answering>();
const records = new AsyncLocalStorage<Record>();

/**
 * Runs a change and renders the answer inside its transaction, from the rows that it commits. If the request has an
 * `Idempotency-Key`, the same transaction records the answer.
 */
export async function answering<M, A>(render: Render<M, A>, change: () => Promise<M>): Promise<A> {
  const scope: Answering = { render: render as Render<unknown, unknown>, kept: undefined };
  await answerings.run(scope, change);
  if (scope.kept === undefined) throw new Error("cannot answer: the change did not keep its result");
  return scope.kept.answer as A;
}

/**
 * Keeps the result of a change for the answer. Every change that runs in `answering` calls this at the end of its
 * transaction, with its return value.
 */
export async function kept<M>(tx: Writer, made: M): Promise<M> {
  const scope = answerings.getStore();
  if (scope === undefined) return made; // a command or another change asked for it
  scope.kept = { answer: await scope.render(made, tx) };
  records.getStore()?.(tx, scope.kept.answer);
  return made;
}

/** Runs `run`. Results that it keeps are recorded with `record`. */
export function recording<T>(record: Record, run: () => Promise<T>): Promise<T> {
  return records.run(record, run);
}
