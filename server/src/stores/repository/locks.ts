import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Archive } from "#stores/archive/index.ts";
import type { Clock } from "#kernel/time.ts";
import { LOCKS, timeName } from "./layout.ts";
import { createExactly, readBytes } from "./small-files.ts";

/** A lock that was not renewed for so long is one of a process that has ended. */
const STALE_MS = 30 * 60_000;
const RENEW_MS = 10 * 60_000;

interface Holder {
  readonly exclusive: boolean;
  readonly host: string;
  readonly pid: number;
  readonly atMs: number;
}

/**
 * Keeps a repository from being pruned while something writes to it. Backups may run at once; a prune runs alone. The
 * lock is a file, because the users of a repository can be on several machines.
 */
export class RepositoryLock {
  readonly #archive: Archive;
  readonly #clock: Clock;
  readonly #exclusive: boolean;
  #path: string | undefined;
  #atMs = 0;

  private constructor(archive: Archive, clock: Clock, exclusive: boolean) {
    this.#archive = archive;
    this.#clock = clock;
    this.#exclusive = exclusive;
  }

  /** @throws Error when another user of the repository is in the way */
  static async take(archive: Archive, clock: Clock, exclusive: boolean): Promise<RepositoryLock> {
    const lock = new RepositoryLock(archive, clock, exclusive);
    await lock.renew();
    try {
      await lock.#refuseOthers();
    } catch (error) {
      await lock.release();
      throw error;
    }
    return lock;
  }

  /** Call it during long work. It writes only when it is time. */
  async renew(): Promise<void> {
    const atMs = this.#clock.nowMs();
    if (this.#path !== undefined && atMs - this.#atMs < RENEW_MS) return;
    const former = this.#path;
    const path = `${LOCKS}${timeName(atMs)}-${randomBytes(8).toString("hex")}.json`;
    const holder: Holder = { exclusive: this.#exclusive, host: hostname(), pid: process.pid, atMs };
    await createExactly(this.#archive, path, Buffer.from(JSON.stringify(holder)));
    [this.#path, this.#atMs] = [path, atMs];
    if (former !== undefined) await this.#remove(former);
  }

  async release(): Promise<void> {
    if (this.#path !== undefined) await this.#remove(this.#path);
    this.#path = undefined;
  }

  /** A key that may not delete leaves its lock until it is stale. */
  async #remove(path: string): Promise<void> {
    await this.#archive.remove(path).catch(() => undefined);
  }

  async #refuseOthers(): Promise<void> {
    for (const path of await Array.fromAsync(this.#archive.paths(LOCKS))) {
      if (path === this.#path || !path.endsWith(".json")) continue;
      const holder = await readHolder(this.#archive, path);
      if (holder === null) continue;
      if (this.#hasEnded(holder)) await this.#remove(path);
      else if (this.#exclusive || holder.exclusive)
        throw new Error(
          `another process (pid ${holder.pid} on ${holder.host}) uses the backups in ${this.#archive.name}: try again when it has ended`,
        );
    }
  }

  #hasEnded({ host, pid, atMs }: Holder): boolean {
    if (this.#clock.nowMs() - atMs > STALE_MS) return true;
    return host === hostname() && pid !== process.pid && !isRunning(pid);
  }
}

/** Null: it has just been released, or was not written by this product. */
async function readHolder(archive: Archive, path: string): Promise<Holder | null> {
  try {
    return JSON.parse(String(await readBytes(archive, path))) as Holder;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
