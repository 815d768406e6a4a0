import { AsyncLocalStorage } from "node:async_hooks";
import type { Reader, Writer } from "#stores/metadata/index.ts";

/** Makes an answer of what a transaction made; `db` sees what it wrote. */
export type Render<M, A> = (made: M, db: Reader) => A | Promise<A>;

interface Answering {
  readonly render: Render<unknown, unknown>;
  kept: { readonly answer: unknown } | undefined;
}

/** How an answer is recorded under the key of the request. */
export type Record = (tx: Writer, answer: unknown) => void;

const answerings = new AsyncLocalStorage<Answering>();
const records = new AsyncLocalStorage<Record>();

/**
 * Runs a change and builds the answer inside its transaction, from the committed result. When the request has an
 * `Idempotency-Key`, the same transaction records the answer.
 */
export async function answering<M, A>(render: Render<M, A>, change: () => Promise<M>): Promise<A> {
  const scope: Answering = { render: render as Render<unknown, unknown>, kept: undefined };
  await answerings.run(scope, change);
  if (scope.kept === undefined) throw new Error("cannot answer: the change did not keep what it made");
  return scope.kept.answer as A;
}

/** Every change that a request can ask for by `answering` calls this at the end of its transaction, with what it returns. */
export async function kept<M>(tx: Writer, made: M): Promise<M> {
  const scope = answerings.getStore();
  if (scope === undefined) return made; // asked for by a command, or by another change
  scope.kept = { answer: await scope.render(made, tx) };
  records.getStore()?.(tx, scope.kept.answer);
  return made;
}

/** Results kept while `run` runs are recorded with `record`. */
export function recording<T>(record: Record, run: () => Promise<T>): Promise<T> {
  return records.run(record, run);
}
