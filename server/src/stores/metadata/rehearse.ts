import type { MetadataStore, Writer } from "./types.ts";

/** Carries the result out of a transaction that is rolled back. */
class Rehearsed<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super("this transaction was a rehearsal");
    this.result = result;
  }
}

/** Runs the work of a change in a transaction, and rolls it back. So the result is that of the same code. */
export async function rehearse<T>(
  metadata: Pick<MetadataStore, "write">,
  work: (tx: Writer) => Promise<T>,
): Promise<T> {
  try {
    return await metadata.write(async (tx): Promise<T> => {
      throw new Rehearsed(await work(tx));
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.result as T;
    throw error;
  }
}
