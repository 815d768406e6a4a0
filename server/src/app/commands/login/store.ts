import { mkdirSync, openSync, closeSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Addresses } from "@mooring/client";
import { systemClock } from "#kernel/time.ts";
import { processEnvironment } from "../../config.ts";
import { CommandError, ExitCode } from "../command.ts";

/** A login of this machine, as it is stored. */
export interface StoredLogin {
  /** The address that the person gave. */
  readonly url: string;
  readonly organization: string;
  readonly email: string;
  readonly flow: "browser" | "device";
  readonly addresses: Addresses;
  readonly access_token: string;
  /** RFC 3339. */
  readonly access_until: string;
  readonly refresh_token: string;
  /** When the login ends without further use. */
  readonly until: string;
}

interface LoginsFile {
  readonly version: 1;
  /** The newest login is first. Commands use it unless `--url` or `--org` chooses another. */
  readonly logins: readonly StoredLogin[];
}

const LOCK_WAIT_MS = 10_000;
const LOCK_RETRY_MS = 50;
/** A process that holds the lock for longer was killed. */
const LOCK_STALE_MS = 30_000;

/** Returns the file of logins: in `$XDG_CONFIG_HOME`, or in `~/.config`. */
export function loginsFile(): string {
  const { XDG_CONFIG_HOME: config } = processEnvironment();
  return join(
    config !== undefined && config.startsWith("/") ? config : join(homedir(), ".config"),
    "mooring",
    "logins.json",
  );
}

/** @throws CommandError if other users can read the file, or it can't be read */
export function readLogins(file = loginsFile()): readonly StoredLogin[] {
  let text: string;
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw new CommandError(
        `other users can read ${file}, which contains your login; run chmod 600 on it, or mooring logout`,
        ExitCode.usage,
      );
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error instanceof CommandError ? error : new CommandError(`cannot read ${file}: ${(error as Error).message}`);
  }
  try {
    return (JSON.parse(text) as LoginsFile).logins;
  } catch {
    // A parser's message could contain a token.
    throw new CommandError(`cannot read ${file}: it is not a file of logins; delete it, and run mooring login`);
  }
}

/** Changes the file while no other command does. Only the current user can read it. */
export async function changeLogins<T>(
  change: (logins: readonly StoredLogin[]) => Promise<{ logins: readonly StoredLogin[]; result: T }>,
  file = loginsFile(),
): Promise<T> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unlock = await lock(`${file}.lock`);
  try {
    const { logins, result } = await change(readLogins(file));
    const content: LoginsFile = { version: 1, logins };
    const temporary = `${file}.${process.pid}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(temporary, file);
    return result;
  } finally {
    unlock();
  }
}

/** A refresh token works once, so only one command at a time may use it. */
async function lock(path: string): Promise<() => void> {
  for (let waitedMs = 0; ; waitedMs += LOCK_RETRY_MS) {
    try {
      closeSync(openSync(path, "wx", 0o600));
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (isStale(path)) rmSync(path, { force: true });
    else if (waitedMs >= LOCK_WAIT_MS)
      throw new CommandError(`another mooring command uses your login; delete ${path} if none runs`);
    else await pause(LOCK_RETRY_MS);
  }
}

function isStale(path: string): boolean {
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Number.MAX_SAFE_INTEGER };
  return systemClock.nowMs() - mtimeMs > LOCK_STALE_MS;
}

export function isSameLogin(
  one: Pick<StoredLogin, "url" | "organization">,
  other: Pick<StoredLogin, "url" | "organization">,
): boolean {
  return one.url === other.url && one.organization === other.organization;
}

/** Returns the newest login that matches. */
export function chosenLogin(
  logins: readonly StoredLogin[],
  { url, organization }: { readonly url: string | undefined; readonly organization: string | undefined },
): StoredLogin | undefined {
  return logins.find(
    (login) =>
      (url === undefined || login.url === url) && (organization === undefined || login.organization === organization),
  );
}
