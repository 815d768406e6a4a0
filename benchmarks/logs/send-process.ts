import { openSync, readSync } from "node:fs";
import { drive } from "../lib/connection.ts";
import { quantileOf } from "../lib/statistics.ts";
import type { SendPlan, Sent } from "./send.ts";

const TELL_EVERY_MS = 250;
const AGAIN_AFTER_MS = 1000;
const NEWLINE = 0x0a;
const COMMA = 0x2c;

process.once("message", (message) => {
  run(message as SendPlan).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exitCode = 1;
      process.disconnect();
    },
  );
});

async function run(plan: SendPlan): Promise<Sent> {
  const file = openSync(plan.batches.path, "r");
  const count = plan.batches.offsets.length - 1;
  const latencies: number[] = [];
  const again: number[] = [];
  let next = 0;
  let refused = 0;
  const started = performance.now();
  const telling = setInterval(() => process.send?.(latencies.length), TELL_EVERY_MS);
  const connection = async (): Promise<void> => {
    let batch = 0;
    const take = (): Buffer | null => {
      if (performance.now() - started > plan.timeoutMs) throw new Error("cannot send everything: the time is up");
      batch = again.pop() ?? next++;
      return batch < count ? requestOf(plan, file, batch) : null;
    };
    await drive(plan, take, async ({ status, ms }) => {
      if (status.startsWith("2")) {
        latencies.push(ms);
        return;
      }
      if (status !== "503" && status !== "429") throw new Error(`a batch was answered with ${status}`);
      refused += 1;
      again.push(batch);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
    });
  };
  await Promise.all(Array.from({ length: plan.connections }, connection));
  // A connection may have ended before another one's last batch was refused: that batch is still here.
  while (again.length > 0) await connection();
  const elapsedMs = performance.now() - started;
  clearInterval(telling);
  process.send?.(latencies.length);
  return { elapsedMs, refused, p50Ms: quantileOf(latencies, 0.5), p99Ms: quantileOf(latencies, 0.99) };
}

function requestOf(plan: SendPlan, file: number, batch: number): Buffer {
  const from = plan.batches.offsets[batch] ?? 0;
  const lines = (plan.batches.offsets[batch + 1] ?? from) - from;
  const [before, after] = plan.form === "entries" ? ['{"entries":[', "]}"] : ["", "\n"];
  // The last newline is left out, because the end of the body replaces it.
  const length = before.length + lines - 1 + after.length;
  const fields = Object.entries(plan.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${plan.path} HTTP/1.1\r\nhost: ${plan.host}:${plan.port}\r\n${fields.join("")}content-length: ${length}\r\n\r\n`;
  const request = Buffer.allocUnsafe(head.length + length);
  let at = request.write(head + before, "latin1");
  at += readSync(file, request, at, lines - 1, from);
  if (plan.form === "entries") joinLines(request.subarray(head.length + before.length, at));
  request.write(after, at, "latin1");
  return request;
}

/** Replaces the newlines between entries by commas. Entries have no raw newlines. */
function joinLines(lines: Buffer): void {
  for (let at = lines.indexOf(NEWLINE); at !== -1; at = lines.indexOf(NEWLINE, at + 1)) lines[at] = COMMA;
}
