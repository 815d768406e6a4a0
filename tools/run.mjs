// node tools/run.mjs SCRIPT [ARGS]: installs the packages if necessary, then runs a script under a Node that is new
// enough. Runs on any Node >= 18. npm's pre-scripts are not used, because they do not run for users with
// ignore-scripts.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findNode, isRunningNodeEnough, runUnder } from "../server/bin/node.mjs";
import { isSetUp, setUp } from "./setup.mjs";
import { tryPorts } from "./setup/ports.mjs";

const [script, ...args] = process.argv.slice(2);

/**
 * Stops this process when its parent ends. npm runs the script in a shell. The shell does not forward npm's SIGTERM, so
 * the product would continue to run. Does nothing when npm did not start this process.
 */
function stopWithParent() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 500);
  watch.unref();
}

/** Scripts that serve the portal, or start a program that does. */
const SERVES = ["server/bin/mooring.mjs", "tools/test.ts", "tools/demo.ts", "benchmarks/run.ts"];

/**
 * Builds the portal when its sources have changed. If the build fails, the start continues, because everything else
 * works.
 */
function buildPortal(node) {
  const tool = fileURLToPath(new URL("./portal.ts", import.meta.url));
  const { status } = spawnSync(node, [tool], { stdio: "inherit" });
  if (status !== 0) console.error("cannot build the portal; the server shows a message instead of its pages");
}

/** Returns the Node to use. Prints the reason and returns undefined when there is none. */
async function prepare() {
  try {
    if (script === undefined) throw new Error("cannot run a script: name one, as in: node tools/run.mjs tools/test.ts");
    if (args[0] === "serve" && !isSetUp()) await tryPorts(args, process.env);
    await setUp();
    const node = findNode();
    if (SERVES.includes(script)) buildPortal(node);
    return node;
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
    return undefined;
  }
}

stopWithParent();
const node = await prepare();
if (node !== undefined) {
  const url = new URL(`../${script}`, import.meta.url);
  if (isRunningNodeEnough()) {
    process.argv = [node, fileURLToPath(url), ...args];
    await import(url.href);
  } else {
    runUnder(node, fileURLToPath(url), args);
  }
}
