/** A server without a part that it can't do without ends by itself, so that a supervisor starts it again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startServer } from "../fixtures/server.ts";

const PRELOAD = fileURLToPath(new URL("../fixtures/kill-writer.mjs", import.meta.url));

test("the death of the records' writer is logged as fatal and ends the process with a code of its own", async () => {
  const environment = { NODE_OPTIONS: `--import ${PRELOAD}` };
  const server = await startServer({ environment, database: "sqlite" });
  try {
    assert.equal((await server.call("GET", "/livez", {})).status, 200);
    process.kill(server.pid, "SIGUSR2");
    const exit = await server.exited;
    assert.equal(exit.code, 10, server.stderr());
    const line = server
      .stderr()
      .split("\n")
      .find((each) => each.includes("a part has died"));
    assert.equal((JSON.parse(line ?? "{}") as { level?: number }).level, 60, "fatal");
    assert.match(server.stdout(), /stopped|finishing/);
  } finally {
    await server.dispose();
  }
});
