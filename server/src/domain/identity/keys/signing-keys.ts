import type { webcrypto } from "node:crypto";
import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { appendAuthChange } from "#domain/identity/changes/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Cutoff, GuardedClock } from "#kernel/deletions.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { SealedPlace, Seals } from "./envelope.ts";
import {
  generateSigningKey,
  privateKeyOf,
  publicKeyOf,
  signJws,
  SIGNING_ALGS,
  type NewKeyPair,
  type SigningAlg,
} from "./key-pair.ts";
import {
  activateSigningKey,
  deleteSigningKeys,
  insertSigningKey,
  retireSigningKey,
  signingKeyRows,
  type SigningKeyRow,
} from "./store.ts";

export interface Signer {
  readonly kid: string;
  readonly alg: SigningAlg;
  /** The encoded JWS header of every token of this key. */
  readonly header: string;
  readonly privateKey: webcrypto.CryptoKey;
}

export interface Verifier {
  readonly kid: string;
  readonly alg: SigningAlg;
  readonly publicKey: webcrypto.CryptoKey;
}

export interface SigningKeyInfo {
  readonly kid: string;
  readonly alg: SigningAlg;
  readonly state: "next" | "signing" | "retired";
  readonly createdAtMs: number;
  readonly activeAtMs: number;
  readonly retiredAtMs: number | null;
  readonly removedAtMs: number | null;
}

export interface SigningKeysDeps {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly envelope: Seals;
  /** Reads the key ring again. */
  readonly renewKeys: () => Promise<void>;
  readonly alg: SigningAlg;
}

const MINUTE_MS = 60_000;
/**
 * Verifiers may cache our key set for five minutes (`max-age`), so a key is published for twice that time before it
 * signs.
 */
const PUBLISHED_BEFORE_USE_MS = 10 * MINUTE_MS;
/** The longest lifetime of a token (3600 s), and a minute for differing clocks. */
const PUBLISHED_AFTER_USE_MS = 61 * MINUTE_MS;
const ROTATE_AFTER_MS = 90 * 24 * 60 * MINUTE_MS;
const SYSTEM: AuditEvent["actor"] = { kind: "system", id: null };

interface LoadedKey {
  readonly row: SigningKeyRow;
  readonly header: string;
  readonly publicKey: webcrypto.CryptoKey;
  readonly jwk: Record<string, unknown>;
  readonly privateKey: webcrypto.CryptoKey;
}

/** This node's view of the keys that sign access tokens. */
export class SigningKeys {
  readonly #deps: SigningKeysDeps;
  #keys = new Map<string, LoadedKey>(); // by encoded header
  readonly #death = Promise.withResolvers<Error>();

  constructor(deps: SigningKeysDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves if the stored signing keys can't be opened any more. Then this node can neither issue tokens nor verify
   * those of other nodes. An unreachable database does not count.
   */
  get died(): Promise<Error> {
    return this.#death.promise;
  }

  /** Loads the keys. Creates the first ones if there are none. @throws Error if another master key sealed them */
  async load(): Promise<void> {
    await this.reload();
    const pairs = await missingPairs(this.#rows());
    if (pairs.length === 0) return;
    await this.#underLock(async (tx, rows) => {
      // Another node may have been first. The keys are generated before the lock, because RSA keys take long.
      const nowMs = this.#nowMs();
      for (const pair of pairs) {
        if (!rows.some((row) => row.alg === pair.alg))
          await this.#insert(tx, pair, { createdAtMs: nowMs, activeAtMs: nowMs });
      }
    });
    await this.reload();
  }

  async reload(): Promise<void> {
    const { metadata, envelope } = this.#deps;
    const present = new Map([...this.#keys.values()].map((key) => [key.row.kid, key]));
    const rows = await signingKeyRows(metadata.read);
    const isKnown = (row: SigningKeyRow): boolean => present.has(row.kid) || knows(envelope, row);
    if (!rows.every(isKnown)) await this.#deps.renewKeys();
    const keys = rows.map((row) => this.#opened(() => loaded(envelope, row, present.get(row.kid))));
    this.#keys = new Map(keys.map((key) => [key.header, key]));
  }

  #opened<T>(open: () => T): T {
    try {
      return open();
    } catch (error) {
      this.#death.resolve(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  }

  /** Returns the key that signs now: the newest one in use. */
  signer(): Signer {
    const nowMs = this.#nowMs();
    let found: LoadedKey | undefined;
    for (const key of this.#keys.values()) {
      if (key.row.alg !== this.#deps.alg || !signsAt(key.row, nowMs)) continue;
      if (found === undefined || key.row.active_at > found.row.active_at) found = key;
    }
    if (found === undefined) throw new Error(`no ${this.#deps.alg} signing key is in use`);
    return { kid: found.row.kid, alg: found.row.alg, header: found.header, privateKey: found.privateKey };
  }

  /** Signs a text that is not a token, with the key that signs tokens. */
  async sign(text: string): Promise<{ kid: string; alg: SigningAlg; publicJwk: string; signature: string }> {
    const { kid, alg, privateKey } = this.signer();
    const publicJwk = this.#rows().find((row) => row.kid === kid)?.public_jwk ?? "";
    return { kid, alg, publicJwk, signature: (await signJws({ alg, privateKey }, text)).toString("base64url") };
  }

  /** Returns the key whose tokens have exactly this encoded header. Undefined if there is none. */
  verifierOf(header: string): Verifier | undefined {
    const key = this.#keys.get(header);
    if (key === undefined || isGone(key.row, this.#nowMs())) return undefined;
    return { kid: key.row.kid, alg: key.row.alg, publicKey: key.publicKey };
  }

  /** Returns the key set (RFC 7517): keys that sign, that signed recently, and that will sign next. */
  jwks(): { keys: Record<string, unknown>[] } {
    const nowMs = this.#nowMs();
    return { keys: [...this.#keys.values()].filter((key) => !isGone(key.row, nowMs)).map((key) => key.jwk) };
  }

  list(): SigningKeyInfo[] {
    const nowMs = this.#nowMs();
    return this.#rows()
      .filter((row) => !isGone(row, nowMs))
      .map((row) => infoOf(row, nowMs));
  }

  /**
   * Publishes new keys, which sign ten minutes later. The current keys stay published until their last token has
   * expired. Creates nothing if the next keys are already published.
   */
  async rotate(actor: AuditEvent["actor"] = SYSTEM, onlyOlderThanMs = 0): Promise<SigningKeyInfo[]> {
    const pairs = await Promise.all(SIGNING_ALGS.map(generateSigningKey));
    await this.#underLock(async (tx, rows) => {
      const nowMs = this.#nowMs();
      const made: string[] = [];
      for (const pair of pairs) {
        const used = rows.filter((row) => row.alg === pair.alg && !isGone(row, nowMs));
        if (used.some((row) => row.active_at > nowMs) || ageOf(used, nowMs) < onlyOlderThanMs) continue;
        await this.#succeed(tx, pair, used);
        made.push(pair.kid);
      }
      if (made.length > 0) await this.#announce(tx, made, "key.rotate", actor);
    });
    await this.reload();
    return this.list();
  }

  /**
   * Retires a key that leaked. From now on nothing that it signed is accepted. Resolves with the number of the change
   * in the feed.
   */
  async retireNow(kid: string, actor: AuditEvent["actor"] = SYSTEM): Promise<number> {
    const pairs = await Promise.all(SIGNING_ALGS.map(generateSigningKey));
    const seq = await this.#underLock(async (tx, rows) => {
      const target = rows.find((row) => row.kid === kid);
      if (target === undefined) throw new Problem("not_found", "There is no signing key with this kid.");
      await deleteSigningKeys(tx, [kid]);
      const pair = pairs.find((each) => each.alg === target.alg);
      if (pair !== undefined)
        await this.#replace(
          tx,
          pair,
          rows.filter((row) => row.kid !== kid && row.alg === target.alg),
        );
      return this.#announce(tx, [kid], "key.retire", actor);
    });
    await this.reload();
    return seq;
  }

  /** Rotates keys that are 90 days old, and deletes those that are no longer published. */
  async maintain(): Promise<void> {
    const nowMs = this.#nowMs();
    const dueMs = this.#deps.clock.deletionTime("signing_keys");
    if (dueMs !== null) await this.#deleteGone(dueMs);
    if (ageOf(this.#rows(), nowMs) >= ROTATE_AFTER_MS) await this.rotate(SYSTEM, ROTATE_AFTER_MS);
  }

  async #deleteGone(dueMs: Cutoff): Promise<void> {
    const gone = this.#rows().filter((row) => isGone(row, dueMs));
    if (gone.length === 0) return;
    await this.#underLock(async (tx) => {
      await deleteSigningKeys(
        tx,
        gone.map((row) => row.kid),
      );
      for (const row of gone) await appendAuthChange(this.#deps, tx, { kind: "key", subject: row.kid });
    });
    await this.reload();
  }

  #nowMs(): number {
    return this.#deps.clock.nowMs();
  }

  #rows(): SigningKeyRow[] {
    return [...this.#keys.values()].map((key) => key.row);
  }

  /** Takes a lock, so that several nodes on one database do not create several sets. */
  async #underLock<T>(work: (tx: Writer, rows: SigningKeyRow[]) => Promise<T>): Promise<T> {
    const { metadata, envelope } = this.#deps;
    return metadata.write(async (tx) => {
      await metadata.lock(tx, "signing_key");
      const rows = await signingKeyRows(tx);
      for (const row of rows) this.#opened(() => refuseUnknownKey(envelope, row));
      return work(tx, rows);
    });
  }

  /** Adds a key that signs from `activeAtMs`. The current keys sign until then. */
  async #succeed(tx: Writer, pair: NewKeyPair, used: readonly SigningKeyRow[]): Promise<void> {
    const nowMs = this.#nowMs();
    const activeAtMs = nowMs + PUBLISHED_BEFORE_USE_MS;
    await this.#insert(tx, pair, { createdAtMs: nowMs, activeAtMs });
    for (const row of used.filter((each) => each.retired_at === null)) {
      await retireSigningKey(tx, row.kid, {
        retiredAtMs: activeAtMs,
        removedAtMs: activeAtMs + PUBLISHED_AFTER_USE_MS,
      });
    }
  }

  /**
   * Replaces the retired key. If no key signs, the next one starts at once. If there is no next one, the new pair
   * starts.
   */
  async #replace(tx: Writer, pair: NewKeyPair, rest: readonly SigningKeyRow[]): Promise<void> {
    const nowMs = this.#nowMs();
    if (rest.some((row) => signsAt(row, nowMs))) return;
    const next = rest.find((row) => row.active_at > nowMs && !isGone(row, nowMs));
    if (next === undefined) await this.#insert(tx, pair, { createdAtMs: nowMs, activeAtMs: nowMs });
    else await activateSigningKey(tx, next.kid, nowMs);
  }

  async #insert(tx: Writer, pair: NewKeyPair, times: { createdAtMs: number; activeAtMs: number }): Promise<void> {
    await insertSigningKey(tx, {
      kid: pair.kid,
      alg: pair.alg,
      public_jwk: pair.publicJwk,
      private_key: this.#deps.envelope.seal(placeOf(pair.kid), pair.privateKey),
      created_at: times.createdAtMs,
      active_at: times.activeAtMs,
      retired_at: null,
      removed_at: null,
    });
  }

  async #announce(tx: Writer, kids: readonly string[], action: string, actor: AuditEvent["actor"]): Promise<number> {
    let seq = 0;
    for (const kid of kids) seq = await appendAuthChange(this.#deps, tx, { kind: "key", subject: kid });
    for (const kid of kids) {
      await appendAudit(this.#deps, tx, {
        orgId: null,
        actor,
        action,
        target: { kind: "signing_key", id: kid },
        result: "success",
      });
    }
    return seq;
  }
}

function ageOf(rows: readonly SigningKeyRow[], nowMs: number): number {
  return nowMs - Math.max(0, ...rows.map((row) => row.created_at));
}

async function missingPairs(rows: readonly SigningKeyRow[]): Promise<NewKeyPair[]> {
  const missing = SIGNING_ALGS.filter((alg) => !rows.some((row) => row.alg === alg));
  return Promise.all(missing.map(generateSigningKey));
}

function loaded(envelope: Seals, row: SigningKeyRow, present: LoadedKey | undefined): LoadedKey {
  if (present !== undefined) return { ...present, row };
  refuseUnknownKey(envelope, row);
  const header = { typ: "at+jwt", alg: row.alg, kid: row.kid };
  return {
    row,
    header: Buffer.from(JSON.stringify(header)).toString("base64url"),
    publicKey: publicKeyOf(row.alg, row.public_jwk),
    jwk: JSON.parse(row.public_jwk) as Record<string, unknown>,
    privateKey: privateKeyOf(row.alg, envelope.open(placeOf(row.kid), row.private_key)),
  };
}

function knows(envelope: Seals, row: SigningKeyRow): boolean {
  return envelope.knows("signing-key", row.private_key);
}

function refuseUnknownKey(envelope: Seals, row: SigningKeyRow): void {
  if (knows(envelope, row)) return;
  throw new Error(
    `cannot open the signing keys: key ${row.kid} is sealed under a key that is not in the key ring. ` +
      "The records were changed by another server, or are of two backups: restore a backup.",
  );
}

function placeOf(kid: string): SealedPlace {
  return { table: "signing_key", id: kid, purpose: "signing-key", version: 1 };
}

function signsAt(row: SigningKeyRow, nowMs: number): boolean {
  return row.active_at <= nowMs && (row.retired_at === null || nowMs < row.retired_at) && !isGone(row, nowMs);
}

function isGone(row: SigningKeyRow, nowMs: number): boolean {
  return row.removed_at !== null && row.removed_at <= nowMs;
}

function infoOf(row: SigningKeyRow, nowMs: number): SigningKeyInfo {
  return {
    kid: row.kid,
    alg: row.alg,
    state: row.active_at > nowMs ? "next" : signsAt(row, nowMs) ? "signing" : "retired",
    createdAtMs: row.created_at,
    activeAtMs: row.active_at,
    retiredAtMs: row.retired_at,
    removedAtMs: row.removed_at,
  };
}
