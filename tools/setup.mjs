// Installs the packages of package-lock.json, unless they are installed. Runs on any Node >= 18.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findNode } from "../server/bin/node.mjs";
import { install } from "./setup/install.mjs";
import { missingPackages, stampOf } from "./setup/installed.mjs";
import { withLock } from "./setup/lock.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const STAMP = "node_modules/.mooring-setup";

/**
 * Makes node_modules match package-lock.json. Takes a few milliseconds when it already does.
 * @throws Error that names the remedy, when this fails or no Node is new enough
 */
export async function setUp(root = ROOT) {
  if (isSetUp(root)) return;
  const lockText = readLockFile(root);
  const stamp = stampOf(lockText);
  const stampPath = join(root, STAMP);
  await withLock(join(root, ".setup.lock"), () => {
    if (readIfThere(stampPath) === stamp) return;
    const lock = JSON.parse(lockText);
    if (missingPackages(root, lock).length > 0) install(root, lock, stampPath);
    mkdirSync(join(root, "node_modules"), { recursive: true });
    writeFileSync(stampPath, stamp);
  });
  findNode(); // Reports now, and not in the middle of a start, that there is no Node to use.
}

/** Whether node_modules comes from the installation of exactly this lock file. @throws Error without a lock file */
export function isSetUp(root = ROOT) {
  return readIfThere(join(root, STAMP)) === stampOf(readLockFile(root));
}

function readLockFile(root) {
  try {
    return readFileSync(join(root, "package-lock.json"), "utf8");
  } catch (error) {
    throw new Error(`cannot read package-lock.json: ${error.message}; run this from a complete clone`);
  }
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await setUp();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
