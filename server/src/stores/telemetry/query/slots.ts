import { Problem } from "#kernel/problem.ts";
import { OrganizationSlots, type SlotLimits, type SlotRequest, type Waiting } from "./organization-slots.ts";
import { BACKGROUND_WAIT_MS } from "./settings.ts";

export interface Slot {
  readonly waitedMs: number;
  /** Whether the actor runs another query, or other queries wait. */
  readonly isShared: boolean;
  /** A second call does nothing. */
  release(): void;
}

const RETRY_AFTER_S = 2;

/** The reasons for which a query gets no slot. */
export type SlotReason = "actor_waiting" | "organization_waiting" | "waited_too_long";

export class SlotRefusal extends Problem {
  readonly reason: SlotReason;

  constructor(reason: SlotReason, detail: string, limit: { readonly name: string; readonly max: number }) {
    const facts = () => ({ rule: "slots", limit: { ...limit, value: null, untilMs: null } }) as const;
    super("rate_limited", detail, { retryAfterS: RETRY_AFTER_S, facts });
    this.reason = reason;
  }
}

/**
 * Limits how many queries run at once: in total, for each organization, and for each actor (credential or person) in an
 * organization. A few more may wait.
 *
 * A free slot goes to the organization that runs the fewest queries. Among equals, it goes to the one that was served
 * the longest ago. The last free slot is reserved for an organization that runs none, so that a rare query does not wait
 * for frequent ones. With only one slot, organizations take turns.
 *
 * In an organization, an actor has at most half of the slots, so that another actor always finds one. See
 * `OrganizationSlots` for the order of actors.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #nowMs: () => number;
  /** Only organizations that run or wait. */
  readonly #organizations = new Map<string, OrganizationSlots>();
  #turns = 0;
  #total = 0;

  constructor(limits: SlotLimits, nowMs: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  get running(): number {
    return this.#total;
  }

  get waiting(): number {
    return this.#organizations.values().reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /**
   * Waits for a slot.
   * @throws Problem `rate_limited` when too many queries wait or the wait was too long; the signal's reason when it is
   * aborted
   */
  async acquire(request: SlotRequest): Promise<Slot> {
    request.signal.throwIfAborted();
    const organization = this.#organizationOf(request.orgId);
    const sinceMs = this.#nowMs();
    if (this.#hasSlot(organization) && organization.mayStart(request)) this.#enter(organization, request);
    else await this.#wait(organization, request, sinceMs);
    const startedMs = this.#nowMs();
    let held = true;
    return {
      waitedMs: startedMs - sinceMs,
      isShared: organization.runningOf(request) > 1 || this.waiting > 0,
      release: () => {
        if (held) this.#leave(organization, request, startedMs);
        held = false;
      },
    };
  }

  #wait(organization: OrganizationSlots, request: SlotRequest, sinceMs: number): Promise<void> {
    const limit = organization.fullFor(request);
    if (limit !== undefined) return Promise.reject(this.#refusal(organization, limit));
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        request.signal.removeEventListener("abort", abort);
        organization.remove(waiting);
      };
      const waiting: Waiting = {
        ...request,
        sinceMs,
        admit: () => {
          this.#enter(organization, request);
          done();
          resolve();
        },
      };
      const abort = (): void => {
        done();
        this.#forget(organization);
        reject(request.signal.reason as Error);
      };
      const timer = setTimeout(
        () => {
          done();
          reject(this.#tooLong(organization, request));
          this.#forget(organization);
        },
        request.isBackground ? BACKGROUND_WAIT_MS : this.#limits.queueTimeoutMs,
      );
      request.signal.addEventListener("abort", abort, { once: true });
      organization.add(waiting);
    });
  }

  /** Refuses a query because too many wait already. Says whose limit is reached. */
  #refusal(organization: OrganizationSlots, by: "actor" | "organization"): Problem {
    const { queuePerActorMax, queuePerOrgMax, concurrentPerOrgMax } = this.#limits;
    this.#forget(organization);
    const detail =
      by === "actor"
        ? `this credential or person runs ${organization.perActorMax} queries at once and ${queuePerActorMax} more wait, which is the limit (query_waiting_actor); wait for a result before you send more`
        : `your organization runs ${concurrentPerOrgMax} queries at once and ${queuePerOrgMax} more wait, which is the limit (query_waiting_organization); try again shortly`;
    return by === "actor"
      ? new SlotRefusal("actor_waiting", detail, {
          name: "waiting queries of the credential or person",
          max: queuePerActorMax,
        })
      : new SlotRefusal("organization_waiting", detail, {
          name: "waiting queries of the organization",
          max: queuePerOrgMax,
        });
  }

  #tooLong(organization: OrganizationSlots, request: SlotRequest): Problem {
    const { concurrentMax, concurrentPerOrgMax, queueTimeoutMs } = this.#limits;
    const waitedMs = request.isBackground ? BACKGROUND_WAIT_MS : queueTimeoutMs;
    const own = organization.runningOf(request);
    const detail = `the query waited ${waitedMs} ms for a slot, because too many queries run at once: ${own} of this credential or person (at most ${organization.perActorMax}), ${organization.running} of your organization (at most ${concurrentPerOrgMax}), and at most ${concurrentMax} in all; try again shortly`;
    return new SlotRefusal("waited_too_long", detail, {
      name: "queries of the organization",
      max: concurrentPerOrgMax,
    });
  }

  #organizationOf(orgId: string): OrganizationSlots {
    const found = this.#organizations.get(orgId) ?? new OrganizationSlots(orgId, this.#limits, this.#nowMs);
    this.#organizations.set(orgId, found);
    return found;
  }

  #hasSlot({ running }: OrganizationSlots): boolean {
    const { concurrentMax, concurrentPerOrgMax } = this.#limits;
    // An organization that already runs queries must leave one slot free for others.
    const free = concurrentMax - this.#total - (running > 0 ? 1 : 0);
    return free > 0 && running < concurrentPerOrgMax;
  }

  #enter(organization: OrganizationSlots, request: SlotRequest): void {
    this.#total++;
    organization.enter(request, ++this.#turns);
  }

  #leave(organization: OrganizationSlots, request: SlotRequest, startedMs: number): void {
    this.#total--;
    organization.leave(request, this.#nowMs() - startedMs);
    this.#forget(organization);
    this.#next()?.admit();
  }

  #next(): Waiting | undefined {
    let chosen: OrganizationSlots | undefined;
    let next: Waiting | undefined;
    for (const each of this.#organizations.values()) {
      if (!this.#hasSlot(each) || (chosen !== undefined && !isBefore(each, chosen))) continue;
      const first = each.next();
      if (first !== undefined) [chosen, next] = [each, first];
    }
    return next;
  }

  #forget(organization: OrganizationSlots): void {
    if (organization.running === 0 && organization.waiting === 0) this.#organizations.delete(organization.id);
  }
}

function isBefore(a: OrganizationSlots, b: OrganizationSlots): boolean {
  const fewer = a.running - b.running;
  return fewer < 0 || (fewer === 0 && a.served < b.served);
}
