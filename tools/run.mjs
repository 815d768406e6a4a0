// node tools/run.mjs SCRIPT [ARGS]: sets up, then runs a script under a Node that is new enough. Runs on any Node >= 18.
// npm's own pre-scripts would not do: a user who has ignore-scripts set has none.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findNode, isRunningNodeEnough, runUnder } from "../server/bin/node.mjs";
import { isSetUp, setUp } from "./setup.mjs";
import { tryPorts } from "./setup/ports.mjs";

const [script, ...args] = process.argv.slice(2);

/**
 * npm runs this in a shell, and the shell does not pass the SIGTERM of npm on: without this, the product would keep
 * running alone. Does nothing when npm did not start this.
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

/** Scripts that serve the portal, or start something that does. */
const SERVES = ["server/bin/mooring.mjs", "tools/test.ts", "tools/demo.ts", "benchmarks/run.ts"];

/** Builds the portal when its sources are not those of the last build. A start goes on without it: everything else works. */
function buildPortal(node) {
  const tool = fileURLToPath(new URL("./portal.ts", import.meta.url));
  const { status } = spawnSync(node, [tool], { stdio: "inherit" });
  if (status !== 0) console.error("cannot build the portal; the server says so where its pages would be");
}

/** Resolves to the Node to use, or says why there is none and resolves to undefined. */
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
