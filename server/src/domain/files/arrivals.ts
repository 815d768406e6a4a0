import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { requireQuota, requireScopes, usageOf } from "#domain/quotas/index.ts";
import { Problem } from "#kernel/problem.ts";
import { TooLarge, type Arrival, type DirectStore } from "#stores/objects/index.ts";
import { fileQuota, projectFull } from "./quota.ts";
import { grantById, type Grant } from "./store.ts";
import {
  CLAIM_RENEWAL_MS,
  completeUpload,
  releaseClaim,
  renewClaim,
  requireRights,
  type FilesDeps,
} from "./uploads.ts";

/**
 * Makes files of content that clients uploaded to the upstream store with presigned URLs. The store does not report
 * such uploads.
 */
export interface Arrivals {
  /**
   * Makes a file of the content that arrived for one grant.
   * @throws Problem `body_too_large`, `invalid_body`, `storage_quota_exceeded`, `forbidden`: the content can't become a
   * file, and was deleted; `unavailable`
   */
  settle(orgId: string, fileId: string): Promise<void>;
  /**
   * Makes files of all content that arrived for one organization. Content that takes longer than `withinMs` becomes a
   * file later. Refusals are logged.
   */
  settleAll(orgId: string, withinMs: number): Promise<void>;
  /** Makes files of all content that arrived. Deletes content without a grant. */
  sweep(): Promise<void>;
}

export interface ArrivalDeps extends FilesDeps {
  readonly log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** The number of concurrent copies. */
const CONCURRENCY = 8;
/** How long this server waits for another server that handles the same content. */
const OTHERS_MS = 20_000;
const LOOK_AGAIN_MS = 100;

/** Returns null if uploads come to this server. */
export function createArrivals(deps: ArrivalDeps): Arrivals | null {
  const { direct } = deps.objects;
  if (direct === null) return null;
  const underWay = new Map<string, Promise<void>>();
  const settled = (arrival: Arrival): Promise<void> => {
    const present = underWay.get(arrival.name);
    if (present !== undefined) return present;
    const begun = settleArrival(deps, direct, arrival).finally(() => underWay.delete(arrival.name));
    underWay.set(arrival.name, begun);
    return begun;
  };
  const all = async (orgId?: string): Promise<void> => {
    const logged = (arrival: Arrival): Promise<void> =>
      settled(arrival).catch((error: unknown) => logRefusal(deps, arrival, error));
    await inParallel(direct.arrivals(orgId), logged);
  };
  return {
    settle: async (orgId, fileId) => {
      const arrival = await direct.arrival({ orgId, name: fileId });
      if (arrival !== undefined) await settled(arrival);
    },
    settleAll: async (orgId, withinMs) => {
      if ((await usageOf(deps.metadata.read, "files", { org_id: orgId })).grants === 0) return;
      const run = all(orgId);
      const enough = new AbortController();
      const failed = (error: unknown): void => deps.log.error({ err: error }, "cannot look for uploads that arrived");
      try {
        await Promise.race([run.catch(failed), delay(withinMs, undefined, { signal: enough.signal, ref: false })]);
      } finally {
        enough.abort();
      }
    },
    sweep: () => all(),
  };
}

async function settleArrival(deps: ArrivalDeps, direct: DirectStore, arrival: Arrival): Promise<void> {
  const grant = await grantById(deps.metadata.read, arrival.name);
  // The URL also works after its file exists. Content that comes then belongs to no file.
  if (grant === undefined || grant.org_id !== arrival.orgId || grant.metadata !== null) return direct.forget(arrival);
  const claim = randomUUID();
  if (!(await renewClaim(deps, grant.id, claim))) return untilOthersEnd(deps, grant.id);
  const renewal = setInterval(() => void renewClaim(deps, grant.id, claim).catch(() => {}), CLAIM_RENEWAL_MS);
  try {
    await finish(deps, direct, { arrival, grant, claim });
  } finally {
    clearInterval(renewal);
    await releaseClaim(deps, grant.id, claim);
  }
}

interface Finishing {
  readonly arrival: Arrival;
  readonly grant: Grant;
  readonly claim: string;
}

/** Makes the file, or deletes content that may not become one. The URL then works again until it expires. */
async function finish(deps: ArrivalDeps, direct: DirectStore, { arrival, grant, claim }: Finishing): Promise<void> {
  try {
    await requireAllowed(deps, grant, arrival.size);
    const staged = await direct.take(arrival, grant.sha256 === null ? {} : { sha256: grant.sha256 });
    if (staged === undefined) return; // The content was replaced in the meantime. The next sweep finds the new content.
    await completeUpload(deps, grant.id, claim, staged);
  } catch (error) {
    if (!(error instanceof Problem) || !error.isCallers) throw error;
    await direct.forget(arrival);
    throw error;
  }
  await direct.forget(arrival);
}

/** Makes the same checks as before an upload to this server. */
async function requireAllowed(deps: FilesDeps, grant: Grant, size: number): Promise<void> {
  await requireRights(deps, grant, grant.created_by);
  if (size > grant.bytes_max) throw new TooLarge(grant.bytes_max);
  if (grant.size !== null && size !== grant.size)
    throw new Problem("invalid_body", `The content has ${size} bytes, but ${grant.size} were announced.`);
  const beyond = { orgId: grant.org_id, bytes: size - grant.reserved };
  await requireQuota(deps.metadata.read, fileQuota(deps.settings), beyond);
  const place = { orgId: grant.org_id, projectId: grant.project_id };
  await requireScopes(deps.metadata, undefined, { place, bytes: beyond.bytes, refusal: projectFull });
}

async function untilOthersEnd(deps: FilesDeps, id: string): Promise<void> {
  for (const deadline = deps.clock.nowMs() + OTHERS_MS; deps.clock.nowMs() < deadline; await delay(LOOK_AGAIN_MS)) {
    const grant = await grantById(deps.metadata.read, id);
    if (grant === undefined || grant.claim === null) return;
  }
}

function logRefusal({ log }: ArrivalDeps, { orgId: org, name: file }: Arrival, error: unknown): void {
  if (error instanceof Problem && error.isCallers)
    log.info({ org, file, code: error.code, reason: error.message }, "refused an upload that had arrived");
  else log.error({ err: error, org, file }, "cannot make a file of an upload that arrived; it is retried later");
}

async function inParallel<T>(items: AsyncIterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>();
  for await (const item of items) {
    while (running.size >= CONCURRENCY) await Promise.race(running);
    const one: Promise<void> = work(item).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
}
