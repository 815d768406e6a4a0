/** A server on a machine that really lacks layers of the sandbox for queries: in a user namespace that may create no further ones. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { startServer } from "../fixtures/server.ts";

/** In a separate namespace no user, mount or network namespace can be created. */
const WITHOUT = [
  "unshare",
  "--user",
  "--map-root-user",
  "--",
  "/bin/sh",
  "-c",
  'for n in user mnt net ipc uts; do echo 0 > /proc/sys/user/max_${n}_namespaces || exit 1; done; exec "$@"',
  "sh",
];
const able = spawnSync(WITHOUT[0] ?? "", [...WITHOUT.slice(1), "true"]).status === 0;
const skip = able ? false : "this machine makes no user namespace";

for (const how of ["warn", "require"] as const)
  test(`query_sandbox=${how} without namespaces`, { skip }, async () => {
    const settings = { query_sandbox: how, metrics_listen: "127.0.0.1:0" };
    const server = await startServer({ under: WITHOUT, settings, database: "sqlite" });
    try {
      const logged = () => (/SQL runs without a layer of its sandbox/.test(server.stderr()) ? true : null);
      await eventually("the log to name the missing layer", logged);
      assert.equal(await layer(server.stdout(), "namespaces"), 0, "what monitoring sees");
      assert.equal(await layer(server.stdout(), "limits"), 1);
      const { credential } = await server.bootstrap();
      const answer = await server.call("POST", "/v1/query", {
        token: await server.token(credential),
        json: { sql: "SELECT 1 AS one" },
      });
      if (how === "warn") return assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.status, 503, answer.text);
      assert.equal((answer.body as { code?: string }).code, "sandbox_missing");
      assert.match(answer.text, /namespaces.*query_sandbox is require/);
    } finally {
      await server.dispose();
    }
  });

/** Returns whether `/metrics` reports that a layer of the sandbox is in force. */
async function layer(stdout: string, name: string): Promise<number> {
  const address = /^\s*metrics\s+(http:\S+)$/m.exec(stdout)?.[1] ?? assert.fail(stdout);
  const text = await (await fetch(address)).text();
  const line = text.split("\n").find((each) => each.startsWith(`mooring_query_sandbox_layer{layer="${name}"}`));
  return Number(line?.split(" ").at(-1));
}
