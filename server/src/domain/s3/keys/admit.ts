import { lastAccessChange } from "#domain/identity/index.ts";
import { isId } from "#kernel/ids.ts";
import { Schedule, type ScheduledWork } from "#stores/jobs/index.ts";
import type { S3Deps } from "../deps.ts";
import type { AdmittedKey, S3Anonymous, S3KeyPrincipal, S3Keys } from "../types/index.ts";
import { addressesNow, expiryOf, rightsNow, type Rights } from "./bounds.ts";
import { admitGrant, grantOf, type S3Grant } from "./grants.ts";
import { isAccessKeyId, openSecret } from "./secret.ts";
import { keyByAccessKey, publicOrganization, setLastUsed, type KeyContext } from "./store.ts";

/** What is wider than it was (a role that was raised) is seen after this time. */
const KEPT_MS = 1000;
/** About 1 kB each. */
const KEPT_MAX = 10_000;
const USE_WRITTEN_MS = 60_000;

interface Kept {
  readonly change: number;
  readonly readAtMs: number;
  readonly expiresAtMs: number | null;
  readonly key: AdmittedKey | null;
}

/**
 * Admits keys. Everything that narrows what anybody may do, the revocation of a key too, appends to the feed of changes in its own
 * transaction; so one number, read for every request, says whether what was read before still holds, on every node.
 */
export class KeyRing implements S3Keys {
  readonly #deps: S3Deps;
  readonly #kept = new Map<string, Kept>();
  readonly #used = new Map<string, number>();
  readonly #writing: ScheduledWork;

  constructor(deps: S3Deps) {
    this.#deps = deps;
    const { clock, log, schedule = new Schedule(clock) } = deps;
    this.#writing = schedule.add("S3 key use", {
      everyMs: USE_WRITTEN_MS,
      run: () => this.#writeUsed(),
      failed: (error) => log.warn({ err: error }, "cannot write down when access keys were used"),
      onlyAsked: true,
    });
  }

  async admit(accessKeyId: string): Promise<AdmittedKey | undefined> {
    if (!isAccessKeyId(accessKeyId) && grantOf(accessKeyId) === undefined) return undefined;
    const { metadata, clock } = this.#deps;
    const change = await lastAccessChange(metadata.read);
    const nowMs = clock.nowMs();
    const known = this.#kept.get(accessKeyId);
    const isFresh = known?.change === change && Math.abs(nowMs - known.readAtMs) < KEPT_MS;
    const kept = isFresh ? known : await this.#read(accessKeyId, change, nowMs);
    const hasEnded = kept?.expiresAtMs !== null && (kept?.expiresAtMs ?? 0) <= nowMs;
    return hasEnded ? undefined : (kept?.key ?? undefined);
  }

  used({ id }: S3KeyPrincipal): void {
    if (!isId("key", id)) return; // a grant's
    this.#used.set(id, this.#deps.clock.nowMs());
    this.#writing.ask();
  }

  async anonymous(orgSlug?: string): Promise<S3Anonymous> {
    const { metadata, settings } = this.#deps;
    const orgId = await publicOrganization(metadata.read, orgSlug ?? settings.publicOrganization);
    return { kind: "anonymous", orgId: orgId ?? null };
  }

  /** Writes down when keys were used last, as far as that is not written yet. */
  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.#writing.run().catch(() => undefined); // it is logged
  }

  async #writeUsed(): Promise<void> {
    const used = [...this.#used];
    this.#used.clear();
    if (used.length === 0) return;
    await this.#deps.metadata.write(async (tx) => {
      for (const [id, atMs] of used) await setLastUsed(tx, id, atMs);
    });
  }

  async #read(accessKeyId: string, change: number, nowMs: number): Promise<Kept | undefined> {
    const grant = grantOf(accessKeyId);
    const found = grant === undefined ? await this.#stored(accessKeyId, nowMs) : await this.#granted(grant, nowMs);
    if (found === undefined) return undefined;
    const kept = { change, readAtMs: nowMs, ...found };
    this.#kept.delete(accessKeyId);
    this.#kept.set(accessKeyId, kept);
    if (this.#kept.size > KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value ?? "");
    return kept;
  }

  async #granted(grant: S3Grant, nowMs: number): Promise<Pick<Kept, "expiresAtMs" | "key"> | undefined> {
    const key = await admitGrant(this.#deps, grant, nowMs);
    return key === undefined ? undefined : { expiresAtMs: null, key };
  }

  async #stored(accessKeyId: string, nowMs: number): Promise<Pick<Kept, "expiresAtMs" | "key"> | undefined> {
    const row = await keyByAccessKey(this.#deps.metadata.read, accessKeyId);
    if (row === undefined) return undefined;
    return { expiresAtMs: expiryOf(row), key: row.revoked_at === null ? await this.#admitted(row, nowMs) : null };
  }

  async #admitted(row: KeyContext, nowMs: number): Promise<AdmittedKey> {
    const { metadata, envelope } = this.#deps;
    const rights = await rightsNow(metadata, row, nowMs);
    // The secret of a key never changes, and opening it costs more than all the rest.
    const secret = this.#kept.get(row.access_key)?.key?.secret ?? openSecret(envelope, row.id, row.secret);
    const allows = await addressesNow(metadata, row);
    return { principal: principalOf(row, rights), secret, isPending: row.pending === 1, allows };
  }
}

function principalOf(row: KeyContext, { scopes, withheld }: Rights): S3KeyPrincipal {
  const { id, access_key: accessKeyId, org_id: orgId, org_slug: orgSlug, project_id: projectId, prefix } = row;
  return {
    kind: "key",
    id,
    accessKeyId,
    orgId,
    orgSlug,
    projectId,
    scopes,
    withheld,
    buckets: row.buckets === null ? null : (JSON.parse(row.buckets) as string[]),
    prefix,
    owner:
      projectId === null ? { id: orgId, displayName: orgSlug } : { id: projectId, displayName: row.project_slug ?? "" },
  };
}
