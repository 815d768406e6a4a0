import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ACKNOWLEDGED_MIN = 50;
const CHILD = fileURLToPath(new URL("./writer.ts", import.meta.url));

/**
 * Runs a process that commits numbers from `first` on and prints each one after its commit. Kills it with SIGKILL after
 * it has printed 50. Resolves to all printed numbers.
 */
export async function killWhileWriting(
  { url, dataDir }: { url: string | undefined; dataDir: string },
  first: number,
): Promise<number[]> {
  const child = spawn(process.execPath, [CHILD, String(first), dataDir, url ?? ""], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    if (output.split("\n").length > ACKNOWLEDGED_MIN) child.kill("SIGKILL");
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  const [, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (signal !== "SIGKILL") throw new Error(`the writing process ended by itself: ${errors}`);
  const complete = output.slice(0, output.lastIndexOf("\n") + 1);
  return complete
    .split("\n")
    .filter((line) => line !== "")
    .map(Number);
}
