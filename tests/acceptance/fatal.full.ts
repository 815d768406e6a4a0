/** A server that loses a necessary part exits, so that a supervisor starts it again. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { eventually } from "../fixtures/process.ts";
import { startServer, type Server } from "../fixtures/server.ts";

interface Death {
  /** A module to load into the server. */
  readonly preload?: string;
  readonly exitCode: number;
  readonly cause: (server: Server) => Promise<void> | void;
}

const DEATHS: Readonly<Record<string, Death>> = {
  "records writer": {
    preload: fileURLToPath(new URL("../fixtures/kill-writer.mjs", import.meta.url)),
    exitCode: 10,
    cause: ({ pid }) => void process.kill(pid, "SIGUSR2"),
  },
  "telemetry log": {
    preload: fileURLToPath(new URL("../fixtures/kill-telemetry-log.mjs", import.meta.url)),
    exitCode: 11,
    cause: async (server) => {
      const token = await server.token((await server.bootstrap()).credential);
      process.kill(server.pid, "SIGUSR2");
      const entries = [{ level: "info", message: "m", timestamp: new Date().toISOString() }];
      await eventually("an entry to be refused", async () => {
        const { status } = await server.call("POST", "/v1/ingest/logs", { token, json: { entries } });
        return status === 503 ? true : null;
      });
    },
  },
  "key store": {
    exitCode: 12,
    // As a node with another master key does.
    cause: ({ dataDir }) => {
      const records = new DatabaseSync(join(dataDir, "mooring.db"), { timeout: 10_000 }); // The server writes too.
      const sealed = Buffer.concat([Buffer.of(1), randomBytes(120)]);
      records.prepare("update signing_key set kid = 'another', private_key = ? where alg = 'ES256'").run(sealed);
      records.exec(
        "insert into auth_change (seq, kind, subject, epoch, at) select coalesce(max(seq), 0) + 1, 'key', 'another', 0, 0 from auth_change",
      );
      records.close();
    },
  },
};

for (const [part, { preload, exitCode, cause }] of Object.entries(DEATHS))
  test(`the death of the ${part} is logged as fatal and ends the process with a separate exit code`, async () => {
    const environment = preload === undefined ? {} : { NODE_OPTIONS: `--import ${preload}` };
    const server = await startServer({ environment, database: "sqlite" });
    try {
      assert.equal((await server.call("GET", "/livez", {})).status, 200);
      await cause(server);
      const exit = await server.exited;
      assert.equal(exit.code, exitCode, server.stderr());
      const line = server
        .stderr()
        .split("\n")
        .find((each) => each.includes("an essential part has failed"));
      const logged = JSON.parse(line ?? "{}") as { level?: string; part?: string };
      assert.deepEqual([logged.level, logged.part], ["fatal", part], "fatal");
      assert.match(server.stdout(), /stopped|finishing/);
    } finally {
      await server.dispose();
    }
  });
