import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../tests/fixtures/ports.ts";
import type { Target } from "./target.ts";

/** Debian's docker-registry with its files in a directory, without authentication; null when it is not installed. */
export async function startPeer(): Promise<Target | null> {
  if (spawnSync("docker-registry", ["--version"]).status !== 0) return null;
  const directory = mkdtempSync(join(tmpdir(), "mooring-bench-peer-"));
  const port = await freePort();
  const config = join(directory, "config.yml");
  const storage = { filesystem: { rootdirectory: join(directory, "data") } };
  // JSON is YAML.
  const settings = {
    version: "0.1",
    log: { level: "error", accesslog: { disabled: true } },
    storage,
    http: { addr: `127.0.0.1:${port}` },
  };
  writeFileSync(config, JSON.stringify(settings));
  const child = spawn("docker-registry", ["serve", config], { stdio: "ignore" });
  for (let i = 0; i < 100; i++) {
    const ready = await fetch(`http://127.0.0.1:${port}/v2/`).catch(() => undefined);
    if (ready?.status === 200) break;
    await delay(100);
  }
  return {
    name: "docker-registry",
    host: "127.0.0.1",
    port,
    repository: "orgs/acme/bench",
    authorization: null,
    stop: async () => {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
