import { spawnSync } from "node:child_process";
import { constants, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { findNode, NODE_PACKAGES } from "../../server/bin/node.mjs";
import { missingPackages } from "./installed.mjs";

const FLAGS = [
  "--ignore-scripts",
  "--include=dev",
  "--include=optional",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
];

/**
 * Runs `npm ci` once. Under an old Node, npm silently leaves out optional packages that need a newer one, also native
 * bindings. In that case the Node of the lock file is installed first, and npm runs under it.
 */
export function install(root, lock, stampPath) {
  rmSync(stampPath, { force: true }); // An interrupted installation must not look complete.
  console.error("Installing the packages of package-lock.json (once; it installs only npm packages) ...");
  const folder = mkdtempSync(join(tmpdir(), "mooring-node-"));
  try {
    runNpm(root, copyOf(nodeIfThere() ?? installNode(lock, join(folder, "package")), folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const missing = missingPackages(root, lock);
  if (missing.length > 0) {
    throw new Error(
      `cannot install packages: npm left out ${missing.slice(0, 5).join(", ")}; ` +
        'check the network and the space on the disk, and run "npm ci --ignore-scripts" to see what it says',
    );
  }
}

function nodeIfThere() {
  try {
    return findNode();
  } catch {
    return undefined;
  }
}

/** Returns a copy of Node to run npm: `npm ci` deletes node_modules, which may contain the Node that runs it. */
function copyOf(node, folder) {
  if (node === undefined) return undefined;
  const copy = join(folder, basename(node));
  copyFileSync(node, copy, constants.COPYFILE_FICLONE);
  return { folder, node: copy };
}

/**
 * Installs the Node of this platform from its entry in the lock file and returns its path; undefined when there is
 * none.
 */
function installNode(lock, folder) {
  const file = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  const path = `node_modules/${file?.split("/")[0]}`;
  const entry = lock.packages[path];
  if (entry === undefined) return undefined;
  const about = {
    name: "node-only",
    version: "1.0.0",
    dependencies: { [path.slice("node_modules/".length)]: entry.version },
  };
  const packages = { "": about, [path]: entry };
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify(about));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...about, lockfileVersion: 3, packages }));
  runNpm(folder, undefined);
  return join(folder, "node_modules", file);
}

/** Runs `npm ci` in a folder, under another Node if one is given. */
function runNpm(root, under) {
  const { file, args, shell } = npmCommand(under?.node);
  const env = installEnv(under?.folder);
  const result = spawnSync(file, [...args, "ci", ...FLAGS], { cwd: root, stdio: ["ignore", 2, 2], shell, env });
  if (result.error) {
    throw new Error(`cannot install packages: npm did not start (${result.error.message}); install npm 9 or newer`);
  }
  if (result.status === 0) return;
  throw new Error(
    `cannot install packages: "npm ci" ended with ${result.signal ?? `status ${result.status}`}; ` +
      "read its message above, check the network and npm's registry setting, and try again",
  );
}

/** Returns the npm that started this process, or npm from PATH. */
function npmCommand(node) {
  const { npm_execpath: npm, npm_node_execpath: npmNode } = process.env;
  if (npm !== undefined && /npm-cli\.[cm]?js$/.test(npm)) {
    return { file: node ?? npmNode ?? process.execPath, args: [npm], shell: false };
  }
  return { file: "npm", args: [], shell: process.platform === "win32" };
}

/**
 * An outer `npm run --workspace=x` passes x to its children in the environment. The installation must include all
 * workspaces.
 */
function installEnv(nodeFolder) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_config_(workspaces?|omit|include|dry_run|global)$/i.test(name),
  );
  const env = Object.fromEntries(inherited);
  if (nodeFolder !== undefined) env.PATH = `${nodeFolder}${delimiter}${env.PATH ?? env.Path ?? ""}`;
  return env;
}
