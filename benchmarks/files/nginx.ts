import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../tests/fixtures/ports.ts";
import { until } from "../logs/until.ts";

export interface Nginx {
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Returns the path of the nginx binary, if it is installed. */
export function nginxBinary(): string | undefined {
  const named = process.env["MOORING_BENCH_NGINX"] ?? "nginx";
  return spawnSync(named, ["-v"]).status === 0 ? named : undefined;
}

/**
 * Serves files of one directory, by GET and by WebDAV's PUT. It has one worker, because the product is one process. It
 * flushes nothing to the disk.
 */
export async function startNginx(binary: string): Promise<Nginx> {
  const root = mkdtempSync(join(tmpdir(), "mooring-bench-nginx-"));
  const port = await freePort();
  mkdirSync(join(root, "files"));
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${root}/${name};`,
  );
  writeFileSync(
    join(root, "nginx.conf"),
    `worker_processes 1; daemon off; pid ${root}/pid; error_log stderr error;
     user root;
     events { worker_connections 512; }
     http {
       access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; client_max_body_size 0; ${paths.join(" ")}
       server { listen 127.0.0.1:${port}; root ${root}/files; location / { dav_methods PUT; create_full_put_path on; } }
     }`,
  );
  const child = spawn(binary, ["-p", root, "-c", join(root, "nginx.conf")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  writeFileSync(join(root, "files", "ready"), "");
  const url = `http://127.0.0.1:${port}/ready`;
  await until("nginx answers", 10_000, () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  return {
    host: "127.0.0.1",
    port,
    stop: async () => {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGQUIT");
      await exited;
      rmSync(root, { recursive: true, force: true });
    },
  };
}
