#!/usr/bin/env node
// Runs on any Node >= 18, and runs the product under one that is new enough.
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { enableCompileCache } from "./compile-cache.mjs";
import { findNode, isRunningNodeEnough, runUnder } from "./node.mjs";

const args = process.argv.slice(2);

if (isRunningNodeEnough()) {
  // Sources change often, so caching them would only use disk space.
  if (import.meta.resolve("#main.ts").endsWith(".js")) enableCompileCache(args);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignoreClosedPipe);
  const { main } = await import("#main.ts");
  process.exitCode = await main(args);
} else {
  try {
    runUnder(findNode(), realpathSync(fileURLToPath(import.meta.url)), args);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** A reader may close the pipe before the end, as `head` does. The command continues, and the rest of the text is lost. */
function ignoreClosedPipe(error) {
  if (error.code !== "EPIPE") throw error;
}
