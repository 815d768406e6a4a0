import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrappedOf, indented, type DemoContext, type Stop } from "./context.ts";
import { findLogs, type LogSource } from "./logs.ts";

const ROOT = join(import.meta.dirname, "..", "..");

interface Summary {
  readonly accepted: number;
  readonly refused: number;
  readonly lines: number;
  readonly elapsed_ms: number;
}

export const ingest: Stop = {
  title: "Logs from files",
  run: async (context) => {
    const temporaryDir = mkdtempSync(join(tmpdir(), "mooring-demo-logs-"));
    try {
      const { from, sources } = findLogs(ROOT, context.logsDir, temporaryDir);
      context.print(indented(`from ${from}`));
      const accepted = await takeAll(context, sources);
      // A machine without log files can still show the requests of the tour itself.
      const all = accepted > 0 ? accepted : await takeAll(context, [await ownActivity(context, temporaryDir)]);
      context.remember(`${all.toLocaleString("en-US")} log entries, each on disk before it was acknowledged`);
    } finally {
      rmSync(temporaryDir, { recursive: true, force: true });
    }
  },
};

async function takeAll(context: DemoContext, sources: readonly LogSource[]): Promise<number> {
  let accepted = 0;
  for (const { name, file } of sources) {
    const attributes = ["--attribute", `run=${context.runId}`, "--attribute", `source=${name}`];
    const words = ["ingest", "logs", file, "--format", "text", ...attributes, "--credentials", context.credentialsFile];
    context.print(indented(`mooring ingest logs ${file} --format text ${attributes.join(" ")}`));
    try {
      const summary = JSON.parse(await context.mooring([...words, "--json"])) as Summary;
      const left = summary.refused === 0 ? "" : `, ${summary.refused} lines without a time left out`;
      context.print(
        indented(`→ ${summary.accepted} entries from ${summary.lines} lines in ${summary.elapsed_ms} ms${left}`),
      );
      accepted += summary.accepted;
    } catch (error) {
      context.print(indented(`→ nothing was sent: ${(error as Error).message.split("\n")[0] ?? ""}`));
    }
  }
  return accepted;
}

/** Sends requests to the server and writes each one to a log, as a web server would. */
async function ownActivity(context: DemoContext, temporaryDir: string): Promise<LogSource> {
  const { addresses } = bootstrappedOf(context);
  const lines: string[] = [];
  for (let i = 0; i < 60; i++) {
    const path = ["/livez", "/health", "/.well-known/jwks.json"][i % 3] ?? "/livez";
    const started = performance.now();
    const response = await fetch(addresses.portal_url + path);
    await response.arrayBuffer();
    const seconds = ((performance.now() - started) / 1000).toFixed(6);
    const at = new Date(performance.timeOrigin + performance.now()).toISOString();
    lines.push(`${at} INFO demo 127.0.0.1 "GET ${path} HTTP/1.1" status: ${response.status} time: ${seconds}`);
  }
  const file = join(temporaryDir, "tour.log");
  writeFileSync(file, lines.join("\n"));
  context.print(indented("this machine has no readable logs, so the tour uses a log of the requests that it sends"));
  return { name: "tour", file };
}
