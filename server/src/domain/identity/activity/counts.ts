import type { ActivityService } from "@mooring/contract";
import type { AddressRow, CountedRows, MinuteRow, ServiceRow } from "./store.ts";

/** An answered request and its actor. */
export interface CountedRequest {
  readonly orgId: string;
  /** The id of a credential, an S3 key or a person. For a person only the organization's sums are kept. Null: not known. */
  readonly id: string | null;
  readonly isPerson: boolean;
  readonly service: ActivityService;
  readonly ip: string | null;
  readonly userAgent: string | undefined;
  /** The request was forbidden, or over a rate limit. */
  readonly refused: boolean;
  readonly limited: boolean;
  /** Null: none, or not known. */
  readonly projectId: string | null;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** A request of a known actor. */
export type KnownRequest = CountedRequest & { readonly id: string };

export const HOUR_MS = 60 * 60 * 1000;
export const MINUTE_MS = 60_000;
/** The most addresses, with their user agents, that one node counts separately for one credential in one hour. */
const ADDRESSES_MAX = 50;
const USER_AGENT_CHARS_MAX = 200;

/** The key of a request, and the rows that count it. */
interface Last extends Pick<CountedRequest, "orgId" | "service" | "ip" | "userAgent"> {
  readonly minute: number;
  readonly ofService: ServiceRow;
  /** Null: a person made the request. */
  readonly ofMinute: MinuteRow | null;
  readonly ofAddress: AddressRow | null;
}

/**
 * Counts in memory since the last `take`. A request like the previous one of the same credential costs one step in a
 * map.
 */
export class Counts {
  readonly #addresses = new Map<string, AddressRow>();
  readonly #minutes = new Map<string, MinuteRow>();
  readonly #services = new Map<string, ServiceRow>();
  /** The previous request of each credential. */
  readonly #last = new Map<string, Last>();
  /** The addresses of this hour, by credential. `take` keeps them. */
  #seen = new Map<string, Set<string>>();
  #seenHour = 0;

  get isEmpty(): boolean {
    return this.#services.size === 0;
  }

  add(request: KnownRequest, nowMs: number): void {
    const minute = nowMs - (nowMs % MINUTE_MS);
    const last = this.#last.get(request.id);
    const rows = last !== undefined && isAlike(last, request, minute) ? last : this.#rowsOf(request, nowMs, minute);
    const refused = request.refused ? 1 : 0;
    rows.ofService.requests += 1;
    rows.ofService.refused += refused;
    if (request.limited) rows.ofService.limited += 1;
    if (rows.ofMinute === null || rows.ofAddress === null) return;
    rows.ofMinute.requests += 1;
    rows.ofMinute.refused += refused;
    rows.ofAddress.requests += 1;
    rows.ofAddress.refused += refused;
    rows.ofAddress.last_at = nowMs;
  }

  #rowsOf(request: KnownRequest, nowMs: number, minute: number): Last {
    const { orgId, id, isPerson, service, ip, userAgent } = request;
    const hour = nowMs - (nowMs % HOUR_MS);
    const ofService = rowOf(this.#services, `${orgId} ${hour} ${service}`, () => newService(orgId, hour, service));
    const last: Last = {
      orgId,
      service,
      ip,
      userAgent,
      minute,
      ofService,
      ofMinute: isPerson ? null : rowOf(this.#minutes, `${id} ${minute}`, () => newMinute(id, minute)),
      ofAddress: isPerson ? null : this.#address(request, hour),
    };
    this.#last.set(id, last);
    return last;
  }

  #address({ id, service, ip, userAgent }: KnownRequest, hour: number): AddressRow {
    const agent = userAgent?.slice(0, USER_AGENT_CHARS_MAX) ?? "";
    const place = `${ip ?? ""} ${agent}`;
    const known = this.#addresses.get(`${id} ${hour} ${service} ${place}`);
    if (known !== undefined) return known;
    const row = newAddress({ credential_id: id, hour, service, ip: ip ?? "", user_agent: agent });
    if (!this.#isToldApart(id, hour, place)) [row.ip, row.user_agent] = ["", ""];
    return rowOf(this.#addresses, addressKey(row), () => row);
  }

  #isToldApart(id: string, hour: number, place: string): boolean {
    if (this.#seenHour !== hour) {
      this.#seenHour = hour;
      this.#seen = new Map();
    }
    let places = this.#seen.get(id);
    if (places === undefined) this.#seen.set(id, (places = new Set()));
    if (places.size < ADDRESSES_MAX) places.add(place);
    return places.has(place);
  }

  /** Returns all counts, in the same order on every node, so that no two nodes deadlock. */
  take(): CountedRows {
    const taken = {
      addresses: inOrder(this.#addresses),
      minutes: inOrder(this.#minutes),
      services: inOrder(this.#services),
    };
    for (const map of [this.#addresses, this.#minutes, this.#services, this.#last]) map.clear();
    return taken;
  }

  /** Adds counts again that could not be written. */
  putBack({ addresses, minutes, services }: CountedRows): void {
    for (const row of addresses) {
      const own = rowOf(this.#addresses, addressKey(row), () => newAddress(row));
      addTo(own, row);
      own.last_at = Math.max(own.last_at, row.last_at);
    }
    for (const row of minutes) {
      const { credential_id: id, minute } = row;
      addTo(
        rowOf(this.#minutes, `${id} ${minute}`, () => newMinute(id, minute)),
        row,
      );
    }
    for (const row of services) {
      const { org_id: orgId, hour, service } = row;
      const own = rowOf(this.#services, `${orgId} ${hour} ${service}`, () => newService(orgId, hour, service));
      addTo(own, row);
      own.limited += row.limited;
    }
  }
}

function isAlike(last: Last, { orgId, service, ip, userAgent }: KnownRequest, minute: number): boolean {
  return (
    last.minute === minute &&
    last.service === service &&
    last.ip === ip &&
    last.userAgent === userAgent &&
    last.orgId === orgId
  );
}

function rowOf<R>(map: Map<string, R>, key: string, make: () => R): R {
  let row = map.get(key);
  if (row === undefined) map.set(key, (row = make()));
  return row;
}

function addressKey(row: AddressRow): string {
  return `${row.credential_id} ${row.hour} ${row.service} ${row.ip} ${row.user_agent}`;
}

type AddressKey = Pick<AddressRow, "credential_id" | "hour" | "service" | "ip" | "user_agent">;

function newAddress({ credential_id, hour, service, ip, user_agent }: AddressKey): AddressRow {
  return { credential_id, hour, service, ip, user_agent, requests: 0, refused: 0, last_at: 0 };
}

function newMinute(credential_id: string, minute: number): MinuteRow {
  return { credential_id, minute, requests: 0, refused: 0 };
}

function newService(org_id: string, hour: number, service: string): ServiceRow {
  return { org_id, hour, service, requests: 0, refused: 0, limited: 0 };
}

function addTo(sum: { requests: number; refused: number }, row: { requests: number; refused: number }): void {
  sum.requests += row.requests;
  sum.refused += row.refused;
}

function inOrder<R>(map: Map<string, R>): R[] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
