import { Problem } from "#kernel/problem.ts";

/** The waiting callers of a lane. Known ones come first. */
export interface Lane {
  readonly name: string;
  /** The person has signed in with this browser before. */
  readonly isKnown: boolean;
}

interface Lanes {
  readonly known: Map<string, Set<() => void>>;
  readonly others: Map<string, Set<() => void>>;
}

/**
 * Limits how many calls run at once. The others wait for a limited time. Known callers come first, and the lanes take
 * turns, so that a caller with many requests does not delay the others.
 */
export class Turns {
  readonly #waitMs: number;
  readonly #lanes: Lanes = { known: new Map(), others: new Map() };
  #free: number;

  constructor(atOnce: number, waitMs: number) {
    this.#free = atOnce;
    this.#waitMs = waitMs;
  }

  /** @throws Problem `unavailable` with `Retry-After` */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(lane);
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  #turn({ name, isKnown }: Lane): Promise<void> {
    const lanes = isKnown ? this.#lanes.known : this.#lanes.others;
    return new Promise((resolve, reject) => {
      const waiting = lanes.get(name) ?? new Set();
      lanes.set(name, waiting);
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        if (waiting.size === 0 && lanes.get(name) === waiting) lanes.delete(name);
        const retryAfterS = Math.ceil(this.#waitMs / 1000);
        reject(new Problem("unavailable", "Too many people are signing in now. Try again shortly.", { retryAfterS }));
      }, this.#waitMs);
      waiting.add(begin);
    });
  }

  #pass(): void {
    const next = takeOf(this.#lanes.known) ?? takeOf(this.#lanes.others);
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** Takes the first caller of the next lane. The lane then goes to the end. */
function takeOf(lanes: Map<string, Set<() => void>>): (() => void) | undefined {
  const [first] = lanes;
  if (first === undefined) return undefined;
  const [name, waiting] = first;
  const [begin] = waiting;
  lanes.delete(name);
  if (begin === undefined) return takeOf(lanes);
  waiting.delete(begin);
  if (waiting.size > 0) lanes.set(name, waiting);
  return begin;
}
