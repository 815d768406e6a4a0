import { createHash, createSecretKey, hkdfSync, randomBytes, timingSafeEqual, type KeyObject } from "node:crypto";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { MasterKey } from "./master-key.ts";
import type { Masters } from "./masters.ts";
import { derivationOf, KEY_PLACES, type KeyPlace, type KeyUse } from "./purposes.ts";
import { insertKeys, keyRows, type KeyRow, type KeyState } from "./ring-store.ts";

/** A key in memory. */
export interface RingKey extends KeyPlace {
  readonly id: string;
  readonly state: KeyState;
  readonly derivedFrom: string | null;
  readonly retireAtMs: number | null;
  /** Faster than bytes: Node prepares the key once. */
  readonly secret: KeyObject;
}

/** The keys of one purpose. */
export interface Shelf {
  readonly current: RingKey;
  /** Every key that is known, the current one first. */
  readonly all: readonly RingKey[];
  /** The key from before keys were stored. Values that name no key need it. */
  readonly derived: RingKey | undefined;
}

export interface KeyRingDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly masters: Masters;
  /** The master key of the values from before keys were stored. Undefined: there are none. */
  readonly derivedFrom: string | undefined;
}

const KEY_BYTES = 32;
export const KEY_ID_BYTES = 8;
/**
 * A key that is not in a ring which was read within this time does not exist. A rotation waits for twice this time
 * before it uses a new key, so a node that does not have it read its ring earlier.
 */
export const RING_NEWS_MS = 1_000;

/** The keys of the database on this node. They stay in memory, so a lost key service stops starts, not requests. */
export class KeyRing {
  readonly #deps: KeyRingDeps;
  #keys = new Map<string, RingKey>();
  #shelves = new Map<string, Shelf>();
  #masterId = "";
  #digest = "";
  #isWhole = false;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  private constructor(deps: KeyRingDeps) {
    this.#deps = deps;
  }

  /**
   * Reads the ring. Creates missing keys: derives them once if values exist from before keys were stored.
   * @throws Error if the database's keys are wrapped by a master key that this node does not have
   */
  static async open(deps: KeyRingDeps): Promise<KeyRing> {
    const ring = new KeyRing(deps);
    await ring.#createMissing();
    await ring.#read();
    return ring;
  }

  /** The master key that wraps the ring now. */
  get masterId(): string {
    return this.#masterId;
  }

  get masters(): Masters {
    return this.#deps.masters;
  }

  /** A digest of the loaded keys and their states. Two nodes with the same ring have the same digest. */
  get digest(): string {
    return this.#digest;
  }

  shelf(use: KeyUse, purpose: string): Shelf {
    const shelf = this.#shelves.get(`${use}/${purpose}`);
    if (shelf === undefined) throw new Error(`cannot find a key: ${use} ${purpose} is not a purpose`);
    return shelf;
  }

  byId(id: string): RingKey | undefined {
    return this.#keys.get(id);
  }

  /** Whether this value of the table is so recent that a key which is not in it does not exist. */
  get isRecent(): boolean {
    return performance.now() - this.#readAtMs < RING_NEWS_MS;
  }

  /** Returns the error for a key that is not known here, and reads the table again for the next try. */
  unknownKey(id: string): UnknownKey {
    if (!this.isRecent) this.renew().catch(() => undefined); // the next call reports the failure
    return new UnknownKey(id);
  }

  /** Reads the table after all changes that were committed before the call. @throws Error if that is impossible now */
  async renew(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /**
   * Applies a change of the table without the key service, because requests wait for it. Returns false if new keys need
   * the service: then `refresh` reads them.
   * @throws Error if the table or the file can't be read
   */
  async applyChange(): Promise<boolean> {
    await this.#deps.masters.refreshFile();
    await this.#reading?.catch(() => undefined);
    this.#reading ??= this.#read(false).finally(() => (this.#reading = undefined));
    await this.#reading;
    return this.#isWhole;
  }

  /** Reads the master keys and the table again. @throws Error if that is impossible now; the keys in memory still work */
  async refresh(): Promise<void> {
    await this.#deps.masters.refresh();
    await this.renew();
  }

  /** Wraps new keys, for a transaction that inserts them. */
  async make(places: readonly KeyPlace[], state: KeyState, masterId = this.#masterId): Promise<KeyRow[]> {
    return Promise.all(places.map((place) => this.#make(place, { state, masterId, bytes: randomBytes(KEY_BYTES) })));
  }

  /** Wraps a key of another server's ring, for a transaction that inserts it. It keeps its id, because rows name it. */
  async adopt(place: KeyPlace, id: string, bytes: Buffer): Promise<KeyRow> {
    return this.#make(place, { id, state: "previous", masterId: this.#masterId, bytes });
  }

  /** Wraps every key under another master key. @throws Error if the result can't be unwrapped */
  async rewrap(rows: readonly KeyRow[], masterId: string): Promise<{ id: string; wrapped: Uint8Array }[]> {
    return Promise.all(
      rows.map(async (row) => {
        const bytes = await this.#unwrap(row);
        const wrapped = await this.#deps.masters.wrap(masterId, bytes, contextOf(row));
        const again = await this.#unwrap({ ...row, master_id: masterId, wrapped });
        if (!timingSafeEqual(again, bytes)) throw new Error(`cannot wrap key ${row.id}: it can't be unwrapped again`);
        return { id: row.id, wrapped };
      }),
    );
  }

  async #createMissing(): Promise<void> {
    const { metadata } = this.#deps;
    const present = await keyRows(metadata.read);
    const missing = missingFrom(present);
    if (missing.length === 0) return;
    const rows = await this.#firstKeys(missing, present);
    await metadata.write(async (tx) => {
      await metadata.lock(tx, "key");
      const now = await keyRows(tx);
      refuseOtherMaster(now, this.#deps.masters);
      await this.#refuseOtherOrigin(tx, now);
      await insertKeys(
        tx,
        rows.filter((row) => missingFrom(now).some((place) => isSame(place, row))),
      );
    });
  }

  async #firstKeys(missing: readonly KeyPlace[], present: readonly KeyRow[]): Promise<KeyRow[]> {
    const { masters, derivedFrom } = this.#deps;
    const masterId = present[0]?.master_id ?? derivedFrom ?? masters.ids()[0] ?? "";
    if (present.length > 0 || derivedFrom === undefined) return this.make(missing, "current", masterId);
    const master = masters.local.find((key) => key.id === derivedFrom);
    if (master === undefined)
      throw new Error(`cannot create the key ring: the stored secrets need master key ${derivedFrom} once`);
    return Promise.all(
      missing.map((place) =>
        this.#make(place, { state: "current", masterId, bytes: derivedKey(master, place), derivedFrom }),
      ),
    );
  }

  /** Another node may have sealed the first value with another master key since this start looked. */
  async #refuseOtherOrigin(tx: Writer, rows: readonly KeyRow[]): Promise<void> {
    if (rows.length > 0 || this.#deps.derivedFrom !== undefined) return;
    if ((await tx.selectFrom("signing_key").select("kid").limit(1).execute()).length > 0)
      throw new Error("cannot create the key ring: another server has just created the first keys. Start again.");
  }

  async #make(
    { use, purpose }: KeyPlace,
    key: { id?: string; state: KeyState; masterId: string; bytes: Buffer; derivedFrom?: string | undefined },
  ): Promise<KeyRow> {
    const {
      id = randomBytes(KEY_ID_BYTES).toString("hex"),
      state,
      masterId: master_id,
      bytes,
      derivedFrom = null,
    } = key;
    const wrapped = await this.#deps.masters.wrap(master_id, bytes, { id, use, purpose });
    const made_at = this.#deps.clock.nowMs();
    return { id, use, purpose, state, master_id, wrapped, derived_from: derivedFrom, made_at, retire_at: null };
  }

  async #read(useService = true): Promise<void> {
    const startedAtMs = performance.now();
    const rows = await keyRows(this.#deps.metadata.read);
    refuseOtherMaster(
      rows.filter((row) => !this.#keys.has(row.id)),
      this.#deps.masters,
    );
    // A mac key that was retired verifies nothing, so it needs no call of the key service.
    const needed = rows.filter((row) => row.use !== "mac" || row.state !== "retired");
    const found = await Promise.all(needed.map(async (row) => loaded(row, await this.#secretOf(row, useService))));
    const keys = found.filter((key) => key !== undefined);
    this.#keys = new Map(keys.map((key) => [key.id, key]));
    this.#shelves = shelvesOf(keys);
    this.#masterId = rows[0]?.master_id ?? "";
    this.#isWhole = keys.length === needed.length;
    this.#digest = this.#isWhole ? ringDigest(rows) : "";
    this.#readAtMs = startedAtMs;
  }

  async #secretOf(row: KeyRow, useService: boolean): Promise<KeyObject | undefined> {
    const known = this.#keys.get(row.id)?.secret;
    if (known !== undefined) return known;
    if (!useService && this.#deps.masters.isOfService(row.master_id)) return undefined;
    return createSecretKey(await this.#unwrap(row));
  }

  async #unwrap(row: KeyRow): Promise<Buffer> {
    const { masters } = this.#deps;
    try {
      return await masters.unwrap(row.master_id, row.wrapped, contextOf(row));
    } catch (error) {
      throw new Error(`cannot unwrap key ${row.id}: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** A stored value names a key that this node does not have, so the value can't be opened now. */
export class UnknownKey extends Problem {
  constructor(id: string) {
    super("unavailable", "A key of this server is not known on this node yet. Try again shortly.", {
      cause: new Error(`cannot open a sealed value: key ${id} is not in the key ring`),
      retryAfterS: 1,
    });
  }
}

function ringDigest(rows: readonly KeyRow[]): string {
  const texts = rows.map((row) => `${row.id} ${row.state} ${row.retire_at ?? ""}`);
  return createHash("sha256").update(texts.toSorted().join()).digest("hex").slice(0, 16);
}

/** Returns the key that values had before keys were stored. */
function derivedKey(master: MasterKey, place: KeyPlace): Buffer {
  return Buffer.from(hkdfSync("sha256", master.bytes, "", `mooring/v1/${derivationOf(place)}`, KEY_BYTES));
}

function contextOf({ id, use, purpose }: KeyRow): { id: string; use: string; purpose: string } {
  return { id, use, purpose };
}

function isSame(a: KeyPlace, b: KeyPlace): boolean {
  return a.use === b.use && a.purpose === b.purpose;
}

function missingFrom(rows: readonly KeyRow[]): KeyPlace[] {
  return KEY_PLACES.filter((place) => !rows.some((row) => row.state === "current" && isSame(place, row)));
}

function refuseOtherMaster(rows: readonly KeyRow[], masters: Masters): void {
  const ids = masters.ids();
  const foreign = rows.find((row) => !ids.includes(row.master_id) && !masters.isOfService(row.master_id));
  if (foreign === undefined) return;
  throw new Error(
    `cannot open the key ring: it is wrapped by master key ${foreign.master_id}, and this node has key ${ids.join(" and ")}. ` +
      "Nodes that share a database share one master key: copy master.key from the first node, or set the same MOORING_MASTER_KEY.",
  );
}

function loaded(row: KeyRow, secret: KeyObject | undefined): RingKey | undefined {
  if (secret === undefined) return undefined;
  const { id, use, purpose, state, derived_from: derivedFrom, retire_at: retireAtMs } = row;
  return { id, use, purpose, state, derivedFrom, retireAtMs, secret };
}

function shelvesOf(keys: readonly RingKey[]): Map<string, Shelf> {
  const shelves = new Map<string, Shelf>();
  for (const place of KEY_PLACES) {
    const own = keys.filter((key) => isSame(key, place));
    // Without the service, the current key may not be known yet. Then the former one is used until it is.
    const current = own.find((key) => key.state === "current") ?? own.find((key) => key.state === "previous");
    if (current === undefined) continue;
    const all = [current, ...own.filter((key) => key !== current)];
    const derived = all.find((key) => key.derivedFrom !== null);
    shelves.set(`${place.use}/${place.purpose}`, { current, all, derived });
  }
  return shelves;
}
