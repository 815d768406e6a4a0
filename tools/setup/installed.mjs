import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The content of the stamp in node_modules: the installed lock file and the platform. */
export function stampOf(lockText, platform = `${process.platform}-${process.arch}`) {
  return `${createHash("sha256").update(lockText).digest("hex")} ${platform}\n`;
}

/**
 * Returns the packages that node_modules lacks, has in another version, or has without an entry in the lock file,
 * according to npm's own record of the installation. Packages for other platforms may be absent.
 */
export function missingPackages(root, lock, platform = thisPlatform()) {
  const named = Object.entries(lock.packages).filter(([path]) => path.includes("node_modules/"));
  const installed = readRecord(root);
  const wrong = named.filter(([path, entry]) => !isSame(entry, installed[path], platform)).map(([path]) => path);
  const extra = Object.keys(installed).filter((path) => path.includes("node_modules/") && !(path in lock.packages));
  return [...wrong, ...extra].map((path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
}

function readRecord(root) {
  const path = join(root, "node_modules/.package-lock.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : {};
}

function thisPlatform() {
  const { glibcVersionRuntime } = process.platform === "linux" ? process.report.getReport().header : {};
  return { os: process.platform, cpu: process.arch, libc: glibcVersionRuntime === undefined ? "musl" : "glibc" };
}

function isSame(entry, installed, platform) {
  if (installed !== undefined) return installed.version === entry.version && installed.integrity === entry.integrity;
  if (entry.optional !== true && entry.devOptional !== true) return false;
  return !isMadeFor(entry, platform);
}

/** Whether the package is made for this platform. npm has no reason to leave out such a package. */
function isMadeFor(entry, { os, cpu, libc }) {
  if (entry.os === undefined && entry.cpu === undefined) return false;
  return allows(entry.os, os) && allows(entry.cpu, cpu) && (os !== "linux" || allows(entry.libc, libc));
}

/** Evaluates npm's lists: allowed names, or excluded names with `!`. */
function allows(list, value) {
  const names = list === undefined ? [] : [list].flat();
  if (names.includes(`!${value}`)) return false;
  const wanted = names.filter((name) => !name.startsWith("!"));
  return wanted.length === 0 || wanted.includes(value);
}
