/** The free part of a limit, without the reservations here, and the error when it is too small. */
export interface Room {
  left(): Promise<number>;
  refusal(left: number): Error;
}

interface Account {
  reserved: number;
  /** Reservations are decided one after another. */
  turn: Promise<unknown>;
  /** Work that is being counted at this moment, so that it may count twice. */
  settling: number;
  /** Goes up with each release. */
  releases: number;
  waiting: (() => void)[];
}

/** So much more is reserved at once for a body whose length nobody said. */
const STEP_BYTES = 1024 * 1024;

/**
 * Bytes that running work will take of a limit, by the name of the limit's owner: together with the counted bytes, they
 * never exceed it. They are only in memory, so that a killed process leaves no reservation.
 */
export class Reservations {
  readonly #accounts = new Map<string, Account>();

  /** `bytes`: as many as are known. @throws the room's refusal */
  async reserve(name: string, room: Room, bytes: number): Promise<Reservation> {
    const reservation = new Reservation(this.#accountOf(name), room);
    await reservation.need(bytes);
    return reservation;
  }

  /** The bytes that are reserved now. */
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
  readonly #room: Room;
  #bytes = 0;
  #isUnlimited = false;
  #isOver = false;

  constructor(account: Account, room: Room) {
    this.#account = account;
    this.#room = room;
  }

  /** Makes it at least so large, and `wanted` where there is room for that. @throws the room's refusal */
  async need(bytes: number, wanted = bytes): Promise<void> {
    if (this.#isUnlimited || bytes <= this.#bytes) return;
    const turn = this.#account.turn.then(() => this.#grow(bytes - this.#bytes, wanted - this.#bytes));
    this.#account.turn = turn.catch(() => undefined);
    await turn;
  }

  async #grow(bytes: number, wanted: number): Promise<void> {
    const account = this.#account;
    for (;;) {
      // Before the count is read: bytes released meanwhile may be counted by then.
      const { reserved, releases } = account;
      const counted = await this.#room.left();
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
      if (account.settling === 0 || this.#isOver) throw this.#room.refusal(Math.max(0, left));
      await new Promise<void>((resolve) => account.waiting.push(resolve));
    }
  }

  /** The chunks, each once there is room for it: for a body whose length nobody said. */
  async *admit<T extends Uint8Array>(chunks: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    let total = 0;
    for await (const chunk of chunks) {
      total += chunk.length;
      if (!this.#isUnlimited && total > this.#bytes) await this.need(total, Math.ceil(total / STEP_BYTES) * STEP_BYTES);
      yield chunk;
    }
  }

  /** Runs what counts the bytes where the limit is read, and gives the reservation back. */
  async settle<T>(count: () => Promise<T>): Promise<T> {
    this.#account.settling += 1;
    try {
      return await count();
    } finally {
      this.#account.settling -= 1;
      this.release();
    }
  }

  /** May be called again, and does nothing then. */
  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#account.reserved -= this.#bytes;
    this.#account.releases += 1;
    for (const resume of this.#account.waiting.splice(0)) resume();
  }
}
