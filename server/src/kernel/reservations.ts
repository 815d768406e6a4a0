/** The unused part of a quota, not counting reservations in memory, and the error when it is too small. */
export interface Quota {
  left(): Promise<number>;
  refusal(left: number): Error;
}

interface Account {
  reserved: number;
  /** Resolves when the last reservation is decided. Reservations are decided one after another. */
  turn: Promise<unknown>;
  /** The number of reservations that `settle` is counting now. Their bytes may count twice until it ends. */
  settling: number;
  /** The number of releases so far. */
  releases: number;
  waiting: (() => void)[];
}

/** Bytes reserved in one step for a body of unknown length. */
const STEP_BYTES = 1024 * 1024;

/**
 * Reserves quota for running work, by the name of the quota's owner. Counted and reserved bytes together never exceed
 * the quota. Reservations are only in memory, so a killed process leaves none.
 */
export class Reservations {
  readonly #accounts = new Map<string, Account>();

  /** Reserves as many bytes as are known. @throws the quota's refusal */
  async reserve(name: string, quota: Quota, bytes: number): Promise<Reservation> {
    const reservation = new Reservation(this.#accountOf(name), quota);
    await reservation.need(bytes);
    return reservation;
  }

  /** Returns the bytes that are reserved now. */
  reservedBy(name: string): number {
    return this.#accounts.get(name)?.reserved ?? 0;
  }

  #accountOf(name: string): Account {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const account = { reserved: 0, turn: Promise.resolve(), settling: 0, releases: 0, waiting: [] };
    this.#accounts.set(name, account);
    return account;
  }
}

export class Reservation {
  readonly #account: Account;
  readonly #quota: Quota;
  #bytes = 0;
  #isUnlimited = false;
  #isOver = false;

  constructor(account: Account, quota: Quota) {
    this.#account = account;
    this.#quota = quota;
  }

  /** Grows the reservation to at least `bytes`, and to `wanted` if that fits. @throws the quota's refusal */
  async need(bytes: number, wanted = bytes): Promise<void> {
    if (this.#isUnlimited || bytes <= this.#bytes) return;
    const turn = this.#account.turn.then(() => this.#grow(bytes - this.#bytes, wanted - this.#bytes));
    this.#account.turn = turn.catch(() => undefined);
    await turn;
  }

  async #grow(bytes: number, wanted: number): Promise<void> {
    const account = this.#account;
    for (;;) {
      // Read before the count, because the count may already include bytes whose reservation is released meanwhile.
      const { reserved, releases } = account;
      const counted = await this.#quota.left();
      if (counted === Number.POSITIVE_INFINITY) {
        this.#isUnlimited = true;
        return;
      }
      const left = counted - reserved;
      if (bytes <= left && !this.#isOver) {
        const taken = Math.min(wanted, left);
        this.#bytes += taken;
        account.reserved += taken;
        return;
      }
      if (account.releases !== releases) continue;
      if (account.settling === 0 || this.#isOver) throw this.#quota.refusal(Math.max(0, left));
      await new Promise<void>((resolve) => account.waiting.push(resolve));
    }
  }

  /** Yields each chunk after its bytes are reserved, for a body of unknown length. */
  async *admit<T extends Uint8Array>(chunks: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    let total = 0;
    for await (const chunk of chunks) {
      total += chunk.length;
      if (!this.#isUnlimited && total > this.#bytes) await this.need(total, Math.ceil(total / STEP_BYTES) * STEP_BYTES);
      yield chunk;
    }
  }

  /** Runs `count`, which adds the bytes to the counted ones, and then releases the reservation. */
  async settle<T>(count: () => Promise<T>): Promise<T> {
    this.#account.settling += 1;
    try {
      return await count();
    } finally {
      this.#account.settling -= 1;
      this.release();
    }
  }

  /** May be called more than once. */
  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#account.reserved -= this.#bytes;
    this.#account.releases += 1;
    for (const resume of this.#account.waiting.splice(0)) resume();
  }
}
