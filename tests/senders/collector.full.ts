/**
 * The Collector of OpenTelemetry with the configurations that the portal shows, over HTTP and gRPC, and over a kill.
 * To build the program: `go build -C tests/senders/collector -o PROGRAM .`
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../fixtures/ports.ts";
import { eventually } from "../fixtures/process.ts";
import { configurationOf, replaced } from "./agents.ts";
import { assertNow, useSenders } from "./place.ts";

const place = useSenders();
const COLLECTOR = process.env["MOORING_TEST_COLLECTOR"] ?? "";
const SKIP = existsSync(COLLECTOR)
  ? false
  : "THE COLLECTOR IS NOT TESTED: MOORING_TEST_COLLECTOR names no program built from tests/senders/collector";

interface Collector {
  /** Sends a log record to the Collector. */
  send(message: string): Promise<void>;
  stop(): Promise<void>;
}

async function startCollector(id: string): Promise<Collector> {
  const port = await freePort();
  const file = join(place.directory, `${id}.yaml`);
  const receiver = { "127.0.0.1:4318": `127.0.0.1:${port}` };
  // The Collector would serve its own metrics at a fixed port.
  const quiet = "  telemetry: { metrics: { level: none } }\n";
  writeFileSync(file, replaced(configurationOf(id, place, "none"), receiver) + quiet);
  const child = spawn(COLLECTOR, ["--config", file], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const exited = once(child, "exit");
  const send = async (message: string): Promise<void> => {
    const attributes = [{ key: "service.name", value: { stringValue: id } }];
    const record = { timeUnixNano: `${Date.now()}000000`, severityNumber: 17, body: { stringValue: message } };
    const resourceLogs = [{ resource: { attributes }, scopeLogs: [{ logRecords: [record] }] }];
    const answer = await fetch(`http://127.0.0.1:${port}/v1/logs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceLogs }),
    });
    assert.equal(answer.status, 200, await answer.text());
  };
  await eventually("the Collector to accept a record", async () => {
    assert.equal(child.exitCode, null, log);
    return send("hello").then(
      () => true,
      () => null,
    );
  });
  return {
    send,
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

for (const id of ["collector-http", "collector-grpc"])
  test(id, { skip: SKIP }, async () => {
    const collector = await startCollector(id);
    try {
      await collector.send("before the kill");
      const columns = "select timestamp, message, level, service from logs";
      const found = await place.find(`${columns} where service = '${id}' and message like '%kill'`, 1);
      assert.deepEqual([found[0]?.["message"], found[0]?.["level"]], ["before the kill", "error"]);
      assertNow(found);
      const restarted = place.restart();
      await collector.send("after the kill");
      await restarted;
      await place.find(`${columns} where service = '${id}' and message = 'after the kill'`, 1);
    } finally {
      await collector.stop();
    }
  });
