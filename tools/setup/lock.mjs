import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 100;
const WAIT_MS_MAX = 15 * 60 * 1000;

/**
 * Runs `work` while no other process holds the lock file. Waits for the lock, and takes over the lock of a dead
 * process.
 */
export async function withLock(path, work) {
  await acquire(path);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

async function acquire(path) {
  for (let waitedMs = 0; !tryCreate(path); waitedMs += POLL_MS) {
    const holder = holderOf(path);
    if (holder !== undefined && !isAlive(holder)) {
      takeAway(path);
      continue;
    }
    if (waitedMs === 0)
      console.error(`Waiting for process ${holder ?? "?"}, which is installing packages or building the portal ...`);
    if (waitedMs >= WAIT_MS_MAX)
      throw new Error(`cannot continue: process ${holder} holds ${path}; end that process, or delete the file`);
    await sleep(POLL_MS);
  }
}

function tryCreate(path) {
  try {
    const file = openSync(path, "wx");
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw new Error(`cannot set up: ${error.message}; the folder must be writable`);
  }
}

/** Returns the process that holds the lock; undefined while the file is being written or removed. */
function holderOf(path) {
  try {
    return Number(readFileSync(path, "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Moves a dead process's lock away. Two processes may try at once: one that moved a live lock puts it back. */
function takeAway(path) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    const holder = holderOf(aside);
    if (holder === undefined || isAlive(holder)) linkSync(aside, path);
  } catch {
    // Another process moved or took the lock first. The caller's loop tries again.
  }
  rmSync(aside, { force: true });
}
