import { bytesLeft, reserveQuota } from "#domain/quotas/index.ts";
import { Reservations, type Reservation } from "#kernel/reservations.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { fileQuota } from "./quota.ts";
import { grantsOpen, type Grant } from "./store.ts";

interface Deps {
  readonly metadata: MetadataStore;
  readonly settings: { readonly storedBytesMax: number | null };
}

/**
 * Counts the quota that running uploads reserve. A grant with a size has reserved it in the records. The first upload
 * to the grant uses that reservation. Another upload to the same grant reserves its own bytes.
 */
export class UploadReservations {
  readonly #reservations = new Reservations();
  /** The bytes of running uploads to grants with a reservation: by organization, then by grant. */
  readonly #underWay = new Map<string, Map<string, number>>();

  /** Returns the bytes of running uploads. */
  reservedBy(orgId: string): number {
    return this.#reservations.reservedBy(orgId);
  }

  /**
   * Reserves the known bytes of an upload while `work` receives it.
   * @throws Problem `storage_quota_exceeded`
   */
  async hold<T>(
    deps: Deps,
    grant: Pick<Grant, "id" | "org_id" | "reserved">,
    bytes: number,
    work: (reservation: Reservation) => Promise<T>,
  ): Promise<T> {
    const { org_id: orgId } = grant;
    const upload = grant.reserved === 0 ? undefined : this.#upload(grant, bytes);
    const left = (): Promise<number> => {
      // Inside the queue, so that a waiting upload does not use the reservations of grants.
      upload?.begin();
      return this.#left(deps, orgId);
    };
    try {
      const { metadata, settings } = deps;
      const parts = { metadata, reservations: this.#reservations };
      return await reserveQuota(parts, fileQuota(settings), { orgId, bytes, left }, work);
    } finally {
      upload?.end();
    }
  }

  #upload({ id, org_id: orgId }: Pick<Grant, "id" | "org_id">, bytes: number): { begin(): void; end(): void } {
    let isCounted = false;
    const add = (change: number): void => {
      const grants = this.#underWay.get(orgId) ?? new Map<string, number>();
      const now = (grants.get(id) ?? 0) + change;
      if (now > 0) this.#underWay.set(orgId, grants.set(id, now));
      else grants.delete(id);
      if (grants.size === 0) this.#underWay.delete(orgId);
    };
    return {
      begin: () => {
        if (!isCounted) add(bytes);
        isCounted = true;
      },
      end: () => {
        if (isCounted) add(-bytes);
        isCounted = false;
      },
    };
  }

  /**
   * Returns the bytes that the quota leaves, according to the records. Bytes of grants with running uploads are added
   * back, because they are counted here.
   */
  async #left({ metadata, settings }: Deps, orgId: string): Promise<number> {
    const underWay = new Map(this.#underWay.get(orgId));
    const left = await bytesLeft(metadata.read, fileQuota(settings), orgId);
    return underWay.size === 0 || left === Number.POSITIVE_INFINITY
      ? left
      : left + (await heldFor(metadata.read, underWay));
  }
}

/** Returns the bytes that each grant's uploads use, at most its reservation. */
async function heldFor(db: Reader, underWay: ReadonlyMap<string, number>): Promise<number> {
  const grants = await grantsOpen(db, [...underWay.keys()]);
  return grants.reduce((sum, { id, open }) => sum + Math.max(0, Math.min(open, underWay.get(id) ?? 0)), 0);
}
