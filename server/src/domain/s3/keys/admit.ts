import { isAccessKeyId, lastAccessChange, openS3Secret, readS3Key } from "#domain/identity/index.ts";
import { ACTIVE } from "#domain/suspension/index.ts";
import { isId } from "#kernel/ids.ts";
import type { S3Deps } from "../deps.ts";
import type { AdmittedKey, S3Anonymous, S3KeyPrincipal, S3Keys } from "../types/index.ts";
import { admitGrant, grantOf, type S3Grant } from "./grants.ts";
import { publicOrganization } from "./store.ts";

/** The longest time until a new permission (such as a higher role) takes effect. */
const KEPT_MS = 1000;
/** An entry takes about 1 kB. */
const KEPT_MAX = 10_000;

interface Kept {
  readonly change: number;
  readonly readAtMs: number;
  readonly expiresAtMs: number | null;
  readonly key: AdmittedKey | null;
}

/**
 * Admits keys. Every change that narrows a permission, including the revocation of a key, appends to the feed of
 * changes in its own transaction. So each request reads only one number to know whether the cached state is still
 * valid, on every node.
 */
export class KeyRing implements S3Keys {
  readonly #deps: S3Deps;
  readonly #kept = new Map<string, Kept>();

  constructor(deps: S3Deps) {
    this.#deps = deps;
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

  used({ id, formerId }: S3KeyPrincipal): void {
    if (!isId("key", id)) return; // The key of a grant has no row that could store its last use.
    this.#deps.usage.touch(id, formerId === undefined ? undefined : { secretId: formerId, ip: null });
  }

  async anonymous(orgSlug?: string): Promise<S3Anonymous> {
    const { metadata, settings } = this.#deps;
    const found = await publicOrganization(metadata.read, orgSlug ?? settings.publicOrganization);
    const organization = found?.organization ?? ACTIVE;
    return { kind: "anonymous", orgId: found?.id ?? null, organization };
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
    const { metadata, envelope } = this.#deps;
    const found = await readS3Key(metadata, accessKeyId, nowMs);
    if (found === undefined) return undefined;
    const { key: row, state, former } = found;
    const { expiresAtMs, organization, isPending, allows } = state;
    if (row.revoked_at !== null) return { expiresAtMs, key: null };
    // The secret of an access key ID never changes, and decrypting it costs more than the rest.
    const secret = this.#kept.get(accessKeyId)?.key?.secret ?? openS3Secret(envelope, found.secret);
    const principal = principalOf(row, state);
    return {
      expiresAtMs,
      key: {
        principal: former === null ? principal : { ...principal, formerId: former.id },
        secret,
        organization,
        isPending,
        allows,
      },
    };
  }
}

type Found = NonNullable<Awaited<ReturnType<typeof readS3Key>>>;

function principalOf(row: Found["key"], { organization, scopes, withheld, limits }: Found["state"]): S3KeyPrincipal {
  const { id, access_key: accessKeyId, org_id: orgId, org_slug: orgSlug, project_id: projectId, prefix } = row;
  return {
    kind: "key",
    id,
    accessKeyId,
    orgId,
    orgSlug,
    organization,
    projectId,
    scopes,
    withheld,
    buckets: row.buckets === null ? null : (JSON.parse(row.buckets) as string[]),
    prefix,
    limits: limits?.buckets,
    owner:
      projectId === null ? { id: orgId, displayName: orgSlug } : { id: projectId, displayName: row.project_slug ?? "" },
  };
}
