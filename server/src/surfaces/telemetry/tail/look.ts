import type { Principal } from "#domain/identity/index.ts";
import { knownProjects } from "#domain/organizations/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { seenOf, type Seen } from "./seen.ts";

/** Returns the rows that a principal may see. `fresh`: read now, without the cache. */
export type Look = (principal: Principal, fresh: boolean) => Promise<Seen>;

interface Asked {
  readonly atMs: number;
  readonly seen: Promise<Seen>;
}

/** How long a result is shared: most tails of an organization have the same question, four times a second. */
const SHARED_MS = 200;
const SHARED_MAX = 1000;

export function createLook(metadata: Pick<MetadataStore, "read">, clock: Clock): Look {
  const shared = new Map<string, Asked>();
  return (principal, fresh) => {
    // All credentials of an organization or a project see the same rows. Each person may see other rows.
    const who = principal.kind === "credential" ? principal.projectId : principal.id;
    const services = principal.limits?.services;
    // Each limited credential may see other rows.
    const limit = services === undefined ? "" : JSON.stringify([...services]);
    const key = `${principal.orgId} ${who ?? ""} ${limit}`;
    const nowMs = clock.nowMs();
    const known = shared.get(key);
    if (!fresh && known !== undefined && Math.abs(nowMs - known.atMs) < SHARED_MS) return known.seen;
    const seen = knownProjects(metadata, principal, "telemetry:read").then((known) => seenOf(known, services));
    if (shared.size >= SHARED_MAX) shared.clear();
    shared.set(key, { atMs: nowMs, seen });
    seen.catch(() => shared.delete(key));
    return seen;
  };
}
