export interface FairLimits {
  /** The most that one group runs at once. A member of it has at most half. */
  readonly groupMax: number;
  /** The longest wait. */
  readonly waitMs: number;
  /** The error after the longest wait. */
  readonly refusal: (running: number, max: number) => Error;
}

/** Who asks for a turn, for example a credential of an organization. */
export interface Asker {
  readonly group: string;
  readonly member: string;
}

export interface Turn {
  readonly waitedMs: number;
  /** A second call does nothing. */
  release(): void;
}

interface Waiting {
  readonly admit: () => void;
}

interface Member {
  running: number;
  /** The number of its last start. */
  served: number;
  readonly waiting: Waiting[];
}

interface Group {
  running: number;
  readonly members: Map<string, Member>;
}

/**
 * Limits how much a group does at once, for example the uploads of an organization. A member has at most half of it, so
 * another member always finds a place beside a flood. A free place goes to the member that runs the least, and among equals
 * to the one that was served the longest ago.
 */
export class FairTurns {
  readonly #limits: FairLimits;
  /** Only groups that run or wait. */
  readonly #groups = new Map<string, Group>();
  #turns = 0;

  constructor(limits: FairLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#groups.values().reduce((sum, { running }) => sum + running, 0);
  }

  get waiting(): number {
    const members = this.#groups.values().flatMap((group) => group.members.values());
    return members.reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Waits for a turn. @throws the refusal after the longest wait; the signal's reason when it is aborted */
  async enter(asker: Asker, signal?: AbortSignal): Promise<Turn> {
    signal?.throwIfAborted();
    const group = this.#groupOf(asker);
    const member = memberOf(group, asker);
    const sinceMs = performance.now();
    if (member.waiting.length === 0 && this.#hasPlace(group, member)) this.#begin(group, member);
    else await this.#wait(asker, { group, member }, signal);
    let isHeld = true;
    return {
      waitedMs: performance.now() - sinceMs,
      release: () => {
        if (isHeld) this.#leave(asker, { group, member });
        isHeld = false;
      },
    };
  }

  #wait(
    asker: Asker,
    { group, member }: { readonly group: Group; readonly member: Member },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { waitMs, refusal } = this.#limits;
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        const at = member.waiting.indexOf(waiting);
        if (at >= 0) member.waiting.splice(at, 1);
      };
      const give = (error: Error): void => {
        done();
        this.#forget(asker, group);
        reject(error);
      };
      const waiting: Waiting = {
        admit: () => {
          done();
          this.#begin(group, member);
          resolve();
        },
      };
      const abort = (): void => give(signal?.reason as Error);
      const timer = setTimeout(() => give(refusal(member.running, this.#memberMax)), waitMs);
      signal?.addEventListener("abort", abort, { once: true });
      member.waiting.push(waiting);
    });
  }

  get #memberMax(): number {
    return Math.max(1, Math.ceil(this.#limits.groupMax / 2));
  }

  #hasPlace(group: Group, member: Member): boolean {
    return group.running < this.#limits.groupMax && member.running < this.#memberMax;
  }

  #begin(group: Group, member: Member): void {
    group.running += 1;
    member.running += 1;
    member.served = ++this.#turns;
  }

  #leave(asker: Asker, { group, member }: { readonly group: Group; readonly member: Member }): void {
    group.running -= 1;
    member.running -= 1;
    this.#next(group)?.admit();
    this.#forget(asker, group);
  }

  #next(group: Group): Waiting | undefined {
    let chosen: Member | undefined;
    for (const member of group.members.values()) {
      if (member.waiting.length === 0 || !this.#hasPlace(group, member)) continue;
      if (chosen === undefined || isBefore(member, chosen)) chosen = member;
    }
    return chosen?.waiting[0];
  }

  #groupOf({ group: name }: Asker): Group {
    const group = this.#groups.get(name) ?? { running: 0, members: new Map<string, Member>() };
    this.#groups.set(name, group);
    return group;
  }

  #forget({ group: name, member: id }: Asker, group: Group): void {
    const member = group.members.get(id);
    if (member !== undefined && member.running === 0 && member.waiting.length === 0) group.members.delete(id);
    if (group.members.size === 0) this.#groups.delete(name);
  }
}

function memberOf(group: Group, { member: id }: Asker): Member {
  const member = group.members.get(id) ?? { running: 0, served: 0, waiting: [] };
  group.members.set(id, member);
  return member;
}

function isBefore(a: Member, b: Member): boolean {
  return a.running < b.running || (a.running === b.running && a.served < b.served);
}
