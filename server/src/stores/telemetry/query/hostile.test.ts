import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { NO_FIGURES, type ChildFiles, type ChildQuery } from "./protocol.ts";
import { QueryProcess } from "./process.ts";
import { Run, type RunOutcome } from "./run.ts";
import { defaultQuerySettings, KILL_GRACE_MS } from "./settings.ts";

const SETTINGS = defaultQuerySettings("/var/lib/mooring/telemetry");
const QUERY: ChildQuery = {
  orgId: "org_1",
  sql: "SELECT 1",
  parameters: [],
  format: "ndjson",
  rowsMax: 10,
  truncate: false,
  timeoutMs: 200,
  memoryBytesMax: 64 * 1024 * 1024,
  resultBytesMax: 1024 * 1024,
  threads: 1,
  pruning: true,
  promotion: true,
};

const NO_FILES: ChildFiles = { directory: "/", visible: "all", tables: {}, figures: NO_FIGURES };

/**
 * Frames that a compromised child could send after it has reported that it is ready. `say(kind, text, length?)` writes
 * a frame.
 */
const LIES: Readonly<Record<string, string>> = {
  "nothing at all": "",
  "a frame of an unknown kind": "say(0x00, 'x')",
  "a frame longer than allowed": "say(0x44, 'x', 0xffffffff)",
  "a question that is not JSON": "say(0x41, '{')",
  "a second question": "say(0x41, '{}'); say(0x41, '{}')",
  "an end that is not JSON": "say(0x45, '{')",
  "an end as long as a result": "say(0x45, 'x'.repeat(100000))",
  "a ready frame before the end": "say(0x52, '')",
  "a failure with an unknown code, a path and another organization":
    "say(0x46, JSON.stringify({ code: 'internal', detail: 'see /var/lib/mooring/telemetry/hot and org_00000000000000000000000002' })); say(0x52, '')",
  "an end and then rows": "say(0x45, '{}'); say(0x44, 'late')",
  "a failure and then nothing": "say(0x46, JSON.stringify({ code: 'query_failed', detail: 'x' }))",
  "half a frame and its death": "say(0x44, 'x', 100); setTimeout(() => process.exit(), 20)",
  "rows without an end": "setInterval(() => say(0x44, 'x\\n'), 5)",
};

function program(lie: string): string {
  return `
    const socket = new (require("node:net").Socket)({ fd: 3 });
    const say = (kind, text, length = text.length) => { const head = Buffer.alloc(5); head[0] = kind; head.writeUInt32BE(length, 1); socket.write(Buffer.concat([head, Buffer.from(text)])); };
    say(0x52, "");
    socket.once("data", () => { ${lie} });
  `;
}

describe("a compromised child", { concurrency: 2 }, () => {
  for (const [name, lie] of Object.entries(LIES)) {
    test(`sends ${name}`, async () => {
      let gone = false;
      const child = new QueryProcess({ file: process.execPath, args: ["-e", program(lie)], layers: [] }, () => {
        gone = true;
      });
      await child.ready;
      const startedMs = performance.now();
      const outcome = Promise.withResolvers<RunOutcome>();
      const run = new Run(child, {
        query: QUERY,
        settings: SETTINGS,
        signal: new AbortController().signal,
        cancelled: new AbortController().signal,
        files: () => Promise.resolve(NO_FILES),
        onDone: outcome.resolve,
      });
      const answer = await run.start().then(
        async ({ body }) => text(body).catch((error: unknown) => error),
        (error: unknown) => error,
      );
      const { doubt } = await outcome.promise;
      assert.ok(performance.now() - startedMs < QUERY.timeoutMs + 3 * KILL_GRACE_MS + 1000, "the query ends in time");
      assert.ok(
        answer instanceof Problem || (typeof answer === "string" && (answer === "" || answer.endsWith("}\n"))),
        String(answer),
      );
      if (answer instanceof Problem) assert.doesNotMatch(answer.message, /\/var|org_0{25}2/);
      assert.ok(doubt, "the child is not used again");
      child.kill();
      const deadlineMs = performance.now() + 2000;
      while (!gone && performance.now() < deadlineMs) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.ok(gone);
    });
  }

  test("a child that exits at its start is reported", async () => {
    const child = new QueryProcess({ file: "/bin/sh", args: ["-c", "exit 3"], layers: [] }, () => undefined);
    await assert.rejects(child.ready, /cannot start a query process/);
  });
});
