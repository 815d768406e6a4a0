import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NODE_PACKAGES } from "../../server/bin/node.mjs";

/** What the stamp in node_modules holds: which lock file was installed, for which platform. */
export function stampOf(lockText, platform = `${process.platform}-${process.arch}`) {
  return `${createHash("sha256").update(lockText).digest("hex")} ${platform}\n`;
}

/**
 * True when node_modules holds exactly what the lock file names, as npm's own record of the installation says:
 * somebody ran `npm ci` or `npm install`. Packages for other platforms may be absent.
 */
export function isInstalled(root, lock, platform = `${process.platform}-${process.arch}`) {
  const record = join(root, "node_modules/.package-lock.json");
  if (!existsSync(record)) return false;
  if (lacksNode(root, lock, platform)) return false;
  const installed = JSON.parse(readFileSync(record, "utf8")).packages;
  const named = Object.entries(lock.packages).filter(([path]) => path.includes("node_modules/"));
  const extra = Object.keys(installed).filter((path) => path.includes("node_modules/") && !(path in lock.packages));
  return extra.length === 0 && named.every(([path, entry]) => isSame(entry, installed[path]));
}

/** npm goes on without an optional package that it can't get; the Node of this platform is not optional to us. */
function lacksNode(root, lock, platform) {
  const node = NODE_PACKAGES[platform];
  if (node === undefined || !(`node_modules/${node.split("/")[0]}` in lock.packages)) return false;
  return !existsSync(join(root, "node_modules", node));
}

function isSame(entry, installed) {
  if (installed === undefined) return entry.optional === true || entry.devOptional === true;
  return installed.version === entry.version && installed.integrity === entry.integrity;
}
