/** An installed and built checkout runs from a read-only file system. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { copyCheckout, copyInstallation } from "../fixtures/checkout.ts";

const NOBODY = 65534;
const DEADLINE_MS = 120_000;

test("npm start works in a read-only checkout that is built", { timeout: DEADLINE_MS }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "mooring-read-only-"));
  chmodSync(folder, 0o755);
  const root = copyCheckout(join(folder, "checkout"));
  copyInstallation(root);
  execFileSync("chmod", ["-R", "a-w,a+rX", root]);
  const node = join(folder, basename(process.execPath));
  cpSync(process.execPath, node);
  const data = join(folder, "data");
  mkdirSync(data);
  // Root may write everywhere, so the server runs as a user that may not.
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if ("uid" in user) chownSync(data, NOBODY, NOBODY);
  const args = ["tools/run.mjs", "server/bin/mooring.mjs", "serve", "--data-dir", data, "--listen", "127.0.0.1:0"];
  const more = ["--s3-listen", "127.0.0.1:0", "--metrics-listen", "off"];
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: data };
  const server = spawn(node, [...args, ...more], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], ...user });
  try {
    let [stdout, stderr] = ["", ""];
    server.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const origin = await new Promise<string>((resolve, reject) => {
      server.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout);
        if (found !== null) resolve(found[0]);
      });
      server.once("exit", () => reject(new Error(`the server ended:\n${stdout}${stderr}`)));
    });
    assert.doesNotMatch(stderr, /EACCES|EROFS|cannot build|Installing/);
    const page = await fetch(`${origin}/`);
    assert.match(await page.text(), /<html lang=/);
    server.kill("SIGTERM");
    const [code] = (await once(server, "exit")) as [number];
    assert.equal(code, 0, stderr);
  } finally {
    server.kill("SIGKILL");
    execFileSync("chmod", ["-R", "u+w", root]);
    rmSync(folder, { recursive: true, force: true });
  }
});
