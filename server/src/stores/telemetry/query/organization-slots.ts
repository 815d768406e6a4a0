export interface SlotLimits {
  readonly concurrentMax: number;
  readonly concurrentPerOrgMax: number;
  /** Null: half of the slots that the organization can have. */
  readonly concurrentPerActorMax: number | null;
  readonly queuePerOrgMax: number;
  readonly queuePerActorMax: number;
  readonly queueTimeoutMs: number;
}

export interface SlotRequest {
  readonly orgId: string;
  /** The credential or person. */
  readonly actorId: string;
  /** Nobody waits for the result. Such queries run last, and few at once. */
  readonly isBackground: boolean;
  readonly signal: AbortSignal;
}

/** A query that waits for a slot. */
export interface Waiting extends SlotRequest {
  readonly sinceMs: number;
  readonly admit: () => void;
}

interface Actor {
  running: number;
  /** The time that its queries took, compared to other actors of the organization. */
  usedMs: number;
  /** The number of its last start. */
  served: number;
  readonly waiting: Waiting[];
}

/**
 * The most time that an actor is behind others. So after a long query, an actor waits at most about this long before it
 * gets its share again.
 */
const BEHIND_MS_MAX = 2500;
/** The actor of all background queries. Ids have another form. */
const BACKGROUND = "background";
/** The share of an organization's slots that background queries may have. */
const BACKGROUND_SHARE = 4;

/**
 * The slots of one organization. A free slot goes to the actor whose queries took the least time, so that actors share
 * time equally: many short queries are worth as much as one long one. An actor's own queries run in their order.
 * Background queries of the organization count as one actor. They run last, but not later than others once they have waited
 * for half of the time limit.
 */
export class OrganizationSlots {
  readonly id: string;
  readonly perActorMax: number;
  readonly #limits: SlotLimits;
  readonly #nowMs: () => number;
  readonly #actors = new Map<string, Actor>();
  running = 0;
  waiting = 0;
  /** The number of its last start, in all organizations. */
  served = 0;

  constructor(id: string, limits: SlotLimits, nowMs: () => number) {
    this.id = id;
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.perActorMax = limits.concurrentPerActorMax ?? Math.max(1, Math.ceil(slotsOf(limits) / 2));
  }

  runningOf(request: SlotRequest): number {
    return this.#actors.get(keyOf(request))?.running ?? 0;
  }

  /** Whether a new query may start at once, if there is a free slot. It must not overtake other queries of its actor. */
  mayStart(request: SlotRequest): boolean {
    const actor = this.#actors.get(keyOf(request));
    return (actor?.waiting.length ?? 0) === 0 && (actor?.running ?? 0) < this.#maxOf(keyOf(request));
  }

  /** Returns the limit that a further waiting query would pass. Background queries have no own limit. */
  fullFor(request: SlotRequest): "actor" | "organization" | undefined {
    const background = this.#actors.get(BACKGROUND)?.waiting.length ?? 0;
    const own = this.#actors.get(keyOf(request))?.waiting.length ?? 0;
    if (request.isBackground) return background >= this.#limits.queuePerOrgMax ? "organization" : undefined;
    if (own >= this.#limits.queuePerActorMax) return "actor";
    return this.waiting - background >= this.#limits.queuePerOrgMax ? "organization" : undefined;
  }

  add(waiting: Waiting): void {
    this.#actorOf(keyOf(waiting)).waiting.push(waiting);
    this.waiting++;
  }

  remove(waiting: Waiting): void {
    const queue = this.#actorOf(keyOf(waiting)).waiting;
    const at = queue.indexOf(waiting);
    if (at < 0) return;
    queue.splice(at, 1);
    this.waiting--;
  }

  enter(request: SlotRequest, turn: number): void {
    const actor = this.#actorOf(keyOf(request));
    actor.running++;
    actor.served = turn;
    this.running++;
    this.served = turn;
  }

  leave(request: SlotRequest, tookMs: number): void {
    const actor = this.#actorOf(keyOf(request));
    actor.running--;
    this.running--;
    actor.usedMs = Math.min(actor.usedMs + tookMs, this.#leastUsedMs(actor) + BEHIND_MS_MAX);
  }

  /** Returns the waiting query that the next free slot is for. */
  next(): Waiting | undefined {
    let chosen: Actor | undefined;
    for (const [key, actor] of this.#actors) {
      if (actor.waiting.length === 0 || actor.running >= this.#maxOf(key)) continue;
      if (key === BACKGROUND && !this.#isLate(actor)) continue;
      if (chosen === undefined || isBefore(actor, chosen)) chosen = actor;
    }
    const [next] = (chosen ?? this.#background())?.waiting ?? [];
    return next;
  }

  #background(): Actor | undefined {
    const actor = this.#actors.get(BACKGROUND);
    return actor !== undefined && actor.running < this.#maxOf(BACKGROUND) ? actor : undefined;
  }

  #isLate({ waiting: [first] }: Actor): boolean {
    return first !== undefined && this.#nowMs() - first.sinceMs >= this.#limits.queueTimeoutMs / 2;
  }

  #maxOf(key: string): number {
    if (key !== BACKGROUND) return this.perActorMax;
    return Math.max(1, Math.floor(slotsOf(this.#limits) / BACKGROUND_SHARE));
  }

  /** A new actor, or one that returns, begins with the used time of the others. So it has no advantage from its pause. */
  #actorOf(key: string): Actor {
    const found = this.#actors.get(key) ?? { running: 0, usedMs: 0, served: 0, waiting: [] };
    this.#actors.set(key, found);
    if (found.running > 0 || found.waiting.length > 0) return found;
    const leastMs = this.#leastUsedMs(found);
    if (Number.isFinite(leastMs)) found.usedMs = Math.min(Math.max(found.usedMs, leastMs), leastMs + BEHIND_MS_MAX);
    return found;
  }

  /** Returns the least used time of other actors that run or wait. Infinite if there are none. */
  #leastUsedMs(except: Actor): number {
    const others = this.#actors
      .values()
      .filter((each) => each !== except && (each.running > 0 || each.waiting.length > 0));
    return others.reduce((least, { usedMs }) => Math.min(least, usedMs), Number.POSITIVE_INFINITY);
  }
}

/** Returns the slots that one organization can have. It leaves one of all slots to the others. */
function slotsOf({ concurrentMax, concurrentPerOrgMax }: SlotLimits): number {
  return Math.max(1, Math.min(concurrentPerOrgMax, concurrentMax - 1));
}

function keyOf({ actorId, isBackground }: SlotRequest): string {
  return isBackground ? BACKGROUND : actorId;
}

/** Queries that run now are not charged yet. So among actors, fewer running queries come first. */
function isBefore(a: Actor, b: Actor): boolean {
  if (a.running !== b.running) return a.running < b.running;
  return a.usedMs < b.usedMs || (a.usedMs === b.usedMs && a.served < b.served);
}
