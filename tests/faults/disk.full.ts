/** A disk that is full, and one that has become read-only. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { atProcessEnd } from "../fixtures/process-end.ts";
import { smallDisk } from "../fixtures/small-disk.ts";
import { ingested, logEntry } from "../fixtures/telemetry.ts";
import { playFaults, type Fault } from "./fault.ts";

const disk = smallDisk(384);
const ext4 = faultyDisk();

/** Writes until no more byte fits. */
function fill(path: string): void {
  const file = openSync(path, "w");
  for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 4))
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
    }
  closeSync(file);
}

const full: Fault = {
  name: "disk full",
  alert: "MooringDiskFull",
  words: /The disk of the (records|telemetry|objects) is full/,
  page: "disk-full",
  cause: async (machine) => {
    assert.ok("path" in disk);
    await ingested(machine.server, await machine.token(), "logs", [logEntry("before")]);
    fill(join(disk.path, "old-dump.sql"));
  },
  cured: async (machine) => {
    await ingested(machine.server, await machine.token(), "logs", [logEntry("after")]);
  },
};

playFaults(() => ({ root: "path" in disk ? disk.path : "" }), [full], "path" in disk ? false : disk.missing);

/** Mounts an ext4 that becomes read-only at an error, as Debian's do. Returns its path and device, or why there is none. */
function faultyDisk(): { path: string; trigger: string } | { missing: string } {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return { missing: "only root on Linux can mount a disk with a fault" };
  const folder = mkdtempSync(join(tmpdir(), "mooring-ext4-"));
  const [image, path] = [join(folder, "image"), join(folder, "mount")];
  mkdirSync(path);
  let device = "";
  try {
    run("truncate", "--size", "1G", image);
    run("mkfs.ext4", "-q", "-F", image);
    device = run("losetup", "--find", "--show", image).trim();
    run("mount", "-o", "errors=remount-ro", device, path);
  } catch (error) {
    if (device !== "") run("losetup", "--detach", device);
    rmSync(folder, { recursive: true });
    return { missing: `a loop device can't be mounted here: ${(error as Error).message}` };
  }
  atProcessEnd(async () => {
    spawnSync("umount", ["-l", path]); // The page may have unmounted it.
    spawnSync("losetup", ["--detach", device]);
    rmSync(folder, { recursive: true });
  });
  return { path, trigger: `/sys/fs/ext4/${basename(device)}/trigger_fs_error` };
}

function run(command: string, ...words: readonly string[]): string {
  const PATH = `${process.env["PATH"] ?? "/usr/bin:/bin"}:/usr/sbin:/sbin`;
  return execFileSync(command, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env: { PATH } });
}

const readOnly: Fault = {
  name: "read-only file system",
  alert: "MooringDiskReadOnly",
  words: /The file system of the (records|telemetry|objects) takes no writes \(read_only\)/,
  page: "read-only",
  cause: async (machine) => {
    assert.ok("path" in ext4);
    await ingested(machine.server, await machine.token(), "logs", [logEntry("before")]);
    writeFileSync(ext4.trigger, "1");
  },
  cured: async (machine) => {
    await ingested(machine.server, await machine.token(), "logs", [logEntry("after")]);
  },
};

function readOnlySkip(): string | false {
  if ("missing" in ext4) return ext4.missing;
  if (!existsSync(ext4.trigger)) return "this kernel can't make an error in ext4";
  return false;
}

playFaults(() => ({ root: "path" in ext4 ? ext4.path : "" }), [readOnly], readOnlySkip());
