import type { IncomingMessage } from "node:http";
import { containsRange, parseAddress, parseAddressRange, type AddressRange } from "@mooring/contract";
import type { Clock } from "#kernel/time.ts";
import type { Listener } from "./listener.ts";

/** An address that sends most requests but is not a trusted proxy. */
export interface DominantPeer {
  readonly address: string;
  /** Share of all requests, 0 to 1. */
  readonly share: number;
  readonly requests: number;
  /** True: its requests have header fields of a proxy. */
  readonly forwards: boolean;
}

export interface PeerShare {
  /** Counts a request by the peer's address. */
  count(raw: Pick<IncomingMessage, "socket" | "headers">): void;
  /** Returns the last result; undefined: no address sends more than half of the requests. */
  dominant(): DominantPeer | undefined;
}

export interface PeerShareDeps {
  readonly clock: Clock;
  /** Addresses and CIDR blocks. */
  readonly trusted: readonly string[];
  readonly log: { warn(fields: object, message: string): void };
}

/** Requests are judged in windows of this length, or earlier when there are enough of them. */
const WINDOW_MS = 10 * 60_000;
const REQUESTS_MIN = 1_000;
const SHARE = 0.5;
/** Number of counters. The count of an address is never too high, and too low by at most 1/64 of all requests. */
const COUNTERS_MAX = 64;

const LOOPBACK = /^(127\.|::1$)/;
/** Fields in which proxies name the client (RFC 7239 and its predecessors). */
const FORWARDED = ["x-forwarded-for", "forwarded", "x-real-ip", "via"];

interface Counter {
  count: number;
  forwards: boolean;
}

/**
 * Watches whether most requests come from one address. Behind a proxy that is not in `trusted_proxies`, all callers
 * share one address: limits of failed sign-ins, lists of allowed addresses and the audit log then see only the proxy.
 * Misra and Gries's algorithm finds any address with more than half of the requests, with a few counters.
 */
export function createPeerShare({ clock, trusted, log }: PeerShareDeps): PeerShare {
  const ranges = trusted.map(parseAddressRange).filter((range): range is AddressRange => range !== undefined);
  const isTrusted = (address: string): boolean => {
    const parsed = parseAddress(address);
    return parsed !== undefined && ranges.some((range) => containsRange(range, parsed));
  };
  const counters = new Map<string, Counter>();
  let [startedMs, total] = [clock.nowMs(), 0];
  let found: DominantPeer | undefined;
  let warnedOf: string | undefined;

  function judge(): void {
    const [first] = [...counters].toSorted((a, b) => b[1].count - a[1].count);
    const isDominant = first !== undefined && first[1].count / total > SHARE && !isTrusted(first[0]);
    // A server that is used only on its own machine gets all requests from a loopback address. A proxy on the machine
    // would send forwarded fields.
    const isItself = isDominant && LOOPBACK.test(first[0]) && !first[1].forwards;
    found =
      isDominant && !isItself
        ? { address: first[0], share: first[1].count / total, requests: total, forwards: first[1].forwards }
        : undefined;
    if (found === undefined || found.address === warnedOf) return;
    warnedOf = found.address;
    const { address, share, requests, forwards } = found;
    log.warn(
      { address, share: Math.round(share * 100) / 100, requests, forwards },
      "most requests come from one address that is not a trusted proxy",
    );
  }

  return {
    count: ({ socket, headers }) => {
      const nowMs = clock.nowMs();
      if (Math.abs(nowMs - startedMs) >= WINDOW_MS) {
        if (total < REQUESTS_MIN) found = undefined;
        counters.clear();
        [startedMs, total] = [nowMs, 0];
      }
      total += 1;
      note(
        counters,
        addressOf(socket.remoteAddress),
        FORWARDED.some((name) => name in headers),
      );
      if (total % REQUESTS_MIN === 0) judge();
    },
    dominant: () => found,
  };
}

/** Misra and Gries, 1982: when no counter is free, all counters decrease by one. */
function note(counters: Map<string, Counter>, address: string, forwards: boolean): void {
  const counter = counters.get(address);
  if (counter !== undefined) {
    counter.count += 1;
    counter.forwards ||= forwards;
    return;
  }
  if (counters.size < COUNTERS_MAX) {
    counters.set(address, { count: 1, forwards });
    return;
  }
  for (const [other, present] of counters) {
    present.count -= 1;
    if (present.count === 0) counters.delete(other);
  }
}

/** Converts IPv4 within IPv6 to IPv4. */
function addressOf(remote: string | undefined): string {
  return (remote ?? "unknown").replace(/^::ffff:(?=\d+\.)/, "");
}

/** Counts every request of these listeners, refused ones too. */
export function watchPeers(deps: PeerShareDeps, listeners: readonly Pick<Listener, "server">[]): PeerShare {
  const peers = createPeerShare(deps);
  for (const { server } of listeners) server.on("request", (raw: IncomingMessage) => peers.count(raw));
  return peers;
}
