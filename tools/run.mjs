// node tools/run.mjs SCRIPT [ARGS]: sets up, then runs a script under a Node that is new enough. Runs on any Node >= 18.
// npm's own pre-scripts would not do: a user who has ignore-scripts set has none.
import { fileURLToPath } from "node:url";
import { findNode, isRunningNodeEnough, runUnder } from "../server/bin/node.mjs";
import { setUp } from "./setup.mjs";

const [script, ...args] = process.argv.slice(2);

try {
  if (script === undefined) throw new Error("cannot run a script: name one, as in: node tools/run.mjs tools/test.ts");
  await setUp();
  const url = new URL(`../${script}`, import.meta.url);
  if (isRunningNodeEnough()) {
    process.argv = [process.execPath, fileURLToPath(url), ...args];
    await import(url.href);
  } else {
    runUnder(findNode(), fileURLToPath(url), args);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
