import { constants } from "node:fs";
import { access, open, rm, stat, statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "#kernel/time.ts";
import { platformFault } from "../../platform.ts";
import { fail, mib, ok, warn, type Check, type CheckContext, type Found } from "./finding.ts";

const NODE_MAJOR_MIN = 24;
const FREE_BYTES_WARN = 1024 ** 3;
const FREE_BYTES_FAIL = 128 * 1024 ** 2;
const CLOCK_DRIFT_MS_MAX = 2000;

export const MACHINE_CHECKS: readonly Check[] = [
  { name: "platform", mend: "run it on a platform of docs/reference/platforms.md", run: async () => [platform()] },
  { name: "node", mend: "run it with Node 24 or newer", run: async () => [nodeVersion()] },
  {
    name: "data directory",
    mend: "set data_dir to a directory of the user that runs the server",
    run: async ({ config }) => dataDirectory(config.data_dir),
  },
  {
    name: "disk",
    mend: "set data_dir to a directory on a file system that answers",
    run: async ({ config }) => [await freeDisk(config.data_dir)],
  },
  {
    name: "clock",
    mend: "make the data directory writable",
    run: async ({ config }) => [await clockAgainstFiles(config.data_dir)],
  },
  { name: "memory", mend: "set query_memory_bytes", run: async ({ config }) => [memory(config)] },
];

function platform(): Found {
  const fault = platformFault();
  if (fault === null) return ok(`${process.platform}-${process.arch}`);
  return fail(fault, "run it on a platform of docs/reference/platforms.md");
}

function nodeVersion(): Found {
  const version = process.versions.node;
  if (Number(version.split(".")[0]) >= NODE_MAJOR_MIN) return ok(`Node ${version}`);
  return fail(`Node ${version} is too old`, `run it with Node ${NODE_MAJOR_MIN} or newer`);
}

async function dataDirectory(path: string): Promise<Found[]> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    const parent = await existing(path);
    const writable = await access(parent, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (writable) return [ok(`${path} will be created at the first start`)];
    return [
      fail(
        `${path} does not exist, and ${parent} is not writable`,
        `create it for this user, or set data_dir to another directory`,
      ),
    ];
  }
  if (!found.isDirectory()) return [fail(`${path} is not a directory`, "set data_dir to a directory")];
  const findings: Found[] = [await writes(path)];
  if ((found.mode & 0o077) !== 0) findings.push(warn(`other users may enter ${path}`, `chmod 700 ${path}`));
  return findings;
}

async function writes(path: string): Promise<Found> {
  try {
    await probeFile(path);
    return ok(`${path} is writable and can be flushed`);
  } catch (error) {
    return fail(
      `${path} can't be written: ${(error as Error).message}`,
      "give it to the user that runs the server, or free disk space",
    );
  }
}

async function freeDisk(path: string): Promise<Found> {
  const { bavail, bsize } = await statfs(await existing(path));
  const free = bavail * bsize;
  const detail = `${mib(free)} free`;
  const mend = "free disk space, or move the data directory: a full disk accepts no new data (stored data stays)";
  if (free < FREE_BYTES_FAIL) return fail(detail, mend);
  return free < FREE_BYTES_WARN ? warn(detail, mend) : ok(detail);
}

async function clockAgainstFiles(path: string): Promise<Found> {
  const beforeMs = systemClock.nowMs();
  const writtenMs = await probeFile(await existing(path));
  const driftMs = Math.max(beforeMs - writtenMs, writtenMs - systemClock.nowMs(), 0);
  if (driftMs <= CLOCK_DRIFT_MS_MAX) return ok("agrees with the file system's");
  return warn(
    `differs from the file system's by ${Math.round(driftMs)} ms`,
    "synchronise the clocks of both machines (NTP)",
  );
}

/** Writes, flushes and removes a file. Resolves with the file system's time of the file. */
async function probeFile(directory: string): Promise<number> {
  const path = join(directory, `.doctor-${process.pid}`);
  const file = await open(path, "wx", 0o600);
  try {
    await file.write("probe\n");
    await file.sync();
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

function memory(config: CheckContext["config"]): Found {
  const total = totalmem();
  const wanted = config.query_memory_bytes;
  const detail = `${mib(total)} on this machine, ${mib(wanted)} for a query`;
  if (wanted * 2 <= total) return ok(detail);
  return warn(detail, "lower query_memory_bytes to half of the memory or less, so that one query can't use all memory");
}

/** Returns the nearest existing directory above. */
async function existing(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found !== null || dirname(path) === path ? path : existing(dirname(path));
}
