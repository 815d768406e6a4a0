import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Starts a script that prints `port N` when it listens. */
export async function startScript(script: URL): Promise<{ port: number; stop: () => void }> {
  const child = spawn(process.execPath, [fileURLToPath(script)], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${script.pathname} ended with ${code}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      const found = /port (\d+)/.exec(chunk.toString());
      if (found !== null) resolve(Number(found[1]));
    });
  });
  return { port, stop: () => child.kill() };
}
