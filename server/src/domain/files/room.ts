import { Reservations, type Reservation } from "#kernel/reservations.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { bytesLeft, quotaExceeded } from "./quota.ts";
import { grantsOpen, type Grant } from "./store.ts";

interface RoomDeps {
  readonly metadata: MetadataStore;
  readonly settings: { readonly storedBytesMax: number | null };
}

/**
 * What uploads under way will take of the quotas of organizations. A grant that says its size reserves it in the records; an upload to it takes from
 * that, and another one to the same grant takes room beside it.
 */
export class UploadRoom {
  readonly #reservations = new Reservations();
  /** Bytes under way to grants that reserve some: by organization, then by grant. */
  readonly #underWay = new Map<string, Map<string, number>>();

  /** Bytes of uploads under way. */
  reservedBy(orgId: string): number {
    return this.#reservations.reservedBy(orgId);
  }

  /** Holds room for an upload while `work` takes it in: `bytes` are as many as are known. @throws Problem `storage_quota_exceeded` */
  async hold<T>(
    deps: RoomDeps,
    grant: Pick<Grant, "id" | "org_id" | "reserved">,
    bytes: number,
    work: (room: Reservation) => Promise<T>,
  ): Promise<T> {
    const { org_id: orgId } = grant;
    const upload = grant.reserved === 0 ? undefined : this.#upload(grant, bytes);
    const left = (): Promise<number> => {
      // In its turn, so that one who waits takes nothing from what grants reserve.
      upload?.begin();
      return this.#left(deps, orgId);
    };
    try {
      const room = await this.#reservations.reserve(orgId, { left, refusal: quotaExceeded }, bytes);
      try {
        return await work(room);
      } finally {
        room.release();
      }
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

  /** What the records leave, and what they hold for uploads under way, which are counted here. */
  async #left({ metadata, settings }: RoomDeps, orgId: string): Promise<number> {
    const underWay = new Map(this.#underWay.get(orgId));
    const left = await bytesLeft(metadata.read, orgId, settings.storedBytesMax);
    return underWay.size === 0 || left === Number.POSITIVE_INFINITY
      ? left
      : left + (await heldFor(metadata.read, underWay));
  }
}

/** Of each grant as much as its uploads take, and at most what it still reserves. */
async function heldFor(db: Reader, underWay: ReadonlyMap<string, number>): Promise<number> {
  const grants = await grantsOpen(db, [...underWay.keys()]);
  return grants.reduce((sum, { id, open }) => sum + Math.max(0, Math.min(open, underWay.get(id) ?? 0)), 0);
}
