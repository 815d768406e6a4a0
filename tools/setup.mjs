// Installs what package-lock.json names, when that is not what is installed. Runs on any Node >= 18.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findNode } from "../server/bin/node.mjs";
import { isInstalled, stampOf } from "./setup/installed.mjs";
import { withLock } from "./setup/lock.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const STAMP = "node_modules/.mooring-setup";

/**
 * Makes node_modules match package-lock.json; takes a few milliseconds when it does already.
 * @throws Error that says what to do, when that fails or no Node is new enough
 */
export async function setUp(root = ROOT) {
  const lockText = readLockFile(root);
  const stamp = stampOf(lockText);
  const stampPath = join(root, STAMP);
  if (readIfThere(stampPath) === stamp) return;
  await withLock(join(root, ".setup.lock"), () => {
    if (readIfThere(stampPath) === stamp) return;
    if (!isInstalled(root, JSON.parse(lockText))) install(root, stampPath);
    mkdirSync(join(root, "node_modules"), { recursive: true });
    writeFileSync(stampPath, stamp);
  });
  findNode(); // says now, not in the middle of a start, that there is no Node to use
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

function install(root, stampPath) {
  rmSync(stampPath, { force: true }); // an installation that is cut short must not look done
  console.error("Installing the packages of package-lock.json (once; nothing but npm packages) ...");
  const { file, args, shell } = npmCommand();
  const flags = [
    "ci",
    "--ignore-scripts",
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const result = spawnSync(file, [...args, ...flags], { cwd: root, stdio: ["ignore", 2, 2], shell, env: installEnv() });
  if (result.error)
    throw new Error(`cannot install packages: npm did not start (${result.error.message}); install npm 9 or newer`);
  if (result.status !== 0) {
    throw new Error(
      `cannot install packages: "npm ci" ended with ${result.signal ?? `status ${result.status}`}; ` +
        "read its message above, check the network and npm's registry setting, and try again",
    );
  }
}

/** The npm that runs this, under the Node that runs that npm; npm from PATH when this was started without npm. */
function npmCommand() {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  if (npm !== undefined && /npm-cli\.[cm]?js$/.test(npm))
    return { file: node ?? process.execPath, args: [npm], shell: false };
  return { file: "npm", args: [], shell: process.platform === "win32" };
}

/** An outer `npm run --workspace=x` tells its children about x; the installation is of everything. */
function installEnv() {
  const env = { ...process.env };
  for (const name of Object.keys(env))
    if (/^npm_config_(workspaces?|omit|include|dry_run|global)$/i.test(name)) delete env[name];
  return env;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await setUp();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
