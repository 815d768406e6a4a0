// The tour: uses the running server (npm start) through its command line and its interfaces, and prints each step.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import type { DemoContext } from "./demo/context.ts";
import { findOrStartServer, type DemoServer } from "./demo/server.ts";
import { STOPS } from "./demo/stops.ts";

const USAGE = `
Usage: npm run demo -- [--logs DIR] [--data-dir DIR]

Tours the server that npm start runs (found by ./data/server.json); when none runs, a temporary one on free ports with a
temporary directory, stopped afterwards. Logs come from --logs, else from sample logs beside the checkout, else from this machine.
`;
const ROOT = join(import.meta.dirname, "..");
const LAUNCHER = join(ROOT, "server", "bin", "mooring.mjs");
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

const { values } = parseArgs({
  options: {
    logs: { type: "string" },
    "data-dir": { type: "string", default: join(ROOT, "data") },
    help: { type: "boolean" },
  },
});
async function tour(dataDir: string, logsDir: string | null): Promise<void> {
  const startedMs = performance.now();
  const server = await findOrStartServer(dataDir, LAUNCHER);
  try {
    print(
      server.own
        ? "No server runs on ./data (npm start runs one): the tour starts a temporary one."
        : `The server at ${server.addresses.portal_url}`,
    );
    const remembered: string[] = [];
    const context = contextOf(server, logsDir, remembered);
    for (const [i, stop] of STOPS.entries()) {
      print(`\n${i + 1}. ${stop.title}\n`);
      await stop.run(context);
    }
    print(`\nDone in ${((performance.now() - startedMs) / 1000).toFixed(1)} s:`);
    for (const line of remembered) print(`  - ${line}`);
    print(server.own ? NEXT_OWN : nextWith(context));
  } finally {
    await server.stop();
  }
}

function contextOf(server: DemoServer, logsDir: string | null, remembered: string[]): DemoContext {
  return {
    dataDir: shortest(server.dataDir),
    credentialsFile: shortest(join(server.dataDir, "demo-credentials.json")),
    runId: randomBytes(4).toString("hex"),
    logsDir,
    print,
    mooring,
    remember: (text) => void remembered.push(text),
    bootstrapped: null,
  };
}

/** Runs the command line. A credential's secret is passed in a file, never as an argument. */
async function mooring(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [LAUNCHER, ...args], { maxBuffer: OUTPUT_BYTES_MAX }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(stderr.trim() || error.message));
      else resolve(stdout + (args.includes("table") ? stderr : ""));
    });
  });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function shortest(path: string): string {
  const short = relative(process.cwd(), path);
  return short.length < path.length ? short : path;
}

const NEXT_OWN = `
Next: npm start, then npm run demo again: the data then stays, and you can continue with
  npx mooring query --credentials data/demo-credentials.json "SELECT level, count(*) FROM logs GROUP BY level"`;

function nextWith(context: DemoContext): string {
  const { credentialsFile } = context;
  return `
Next:
  npx mooring query --credentials ${credentialsFile} "SELECT level, count(*) FROM logs GROUP BY level ORDER BY 2 DESC"
  npx mooring ingest logs FILE --format text --credentials ${credentialsFile}
  npx mooring credential list --credentials ${credentialsFile}
  npx mooring doctor --data-dir ${context.dataDir}`;
}

if (values.help === true) {
  process.stdout.write(USAGE.trimStart());
} else {
  await tour(values["data-dir"], values.logs ?? null).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
