import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProduct } from "../lib/product.ts";
import { freePort } from "../../tests/fixtures/ports.ts";
import { until } from "../logs/until.ts";
import { request } from "./request.ts";
import type { Access } from "./sign.ts";

/** A server that is measured, with an empty bucket. */
export interface S3Server {
  readonly name: string;
  /** What the answer to a PUT guarantees. */
  readonly durable: string;
  readonly access: Access;
  readonly bucket: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 20_000;
const BUCKET = "bench-app";
const KEY = { accessKeyId: "benchmarkkey", secretAccessKey: "benchmarksecret" };

/** Returns the product, and the peers whose binaries the environment names. */
export function serversFrom(environment: NodeJS.ProcessEnv, dir: string = tmpdir()): (() => Promise<S3Server>)[] {
  const versitygw = environment["MOORING_BENCH_VERSITYGW"];
  const minio = environment["MOORING_BENCH_MINIO"];
  return [
    () => startMooring(dir),
    ...(versitygw === undefined ? [] : [() => startVersitygw(versitygw, dir)]),
    ...(minio === undefined ? [] : [() => startMinio(minio, dir)]),
  ];
}

async function startMooring(dir: string): Promise<S3Server> {
  const dataDir = mkdtempSync(join(dir, "bench-mooring-"));
  const product = await startProduct({ dataDir });
  const { s3 } = await product.bootstrap("bench");
  const { s3_endpoint: endpoint } = (await (await fetch(`${product.url}/.well-known/mooring`)).json()) as {
    s3_endpoint: string;
  };
  const { hostname: host, port } = new URL(endpoint);
  const key = { accessKeyId: s3.access_key_id, secretAccessKey: s3.secret_access_key };
  return {
    name: "Mooring",
    durable: "on disk (fdatasync, one for many)",
    access: { host, port: Number(port), region: s3.region, ...key },
    bucket: s3.bucket,
    pid: product.process.pid ?? 0,
    stop: () => product.stop(),
  };
}

async function startVersitygw(binary: string, dir: string): Promise<S3Server> {
  const storage = mkdtempSync(join(dir, "bench-versitygw-"));
  return startPeer("versitygw", "in the page cache, no fsync", storage, (address) =>
    spawn(binary, ["--port", address, "--keep-alive", "--quiet", "posix", storage], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ROOT_ACCESS_KEY: KEY.accessKeyId, ROOT_SECRET_KEY: KEY.secretAccessKey },
    }),
  );
}

async function startMinio(binary: string, dir: string): Promise<S3Server> {
  const storage = mkdtempSync(join(dir, "bench-minio-"));
  return startPeer("MinIO", "data on disk, its record in the page cache", storage, (address) =>
    spawn(binary, ["server", "--quiet", "--address", address, "--console-address", "127.0.0.1:0", storage], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { MINIO_ROOT_USER: KEY.accessKeyId, MINIO_ROOT_PASSWORD: KEY.secretAccessKey, HOME: storage },
    }),
  );
}

async function startPeer(
  name: string,
  durable: string,
  storage: string,
  start: (address: string) => ChildProcess,
): Promise<S3Server> {
  mkdirSync(storage, { recursive: true });
  const port = await freePort();
  const child = start(`127.0.0.1:${port}`);
  process.prependOnceListener("exit", () => child.kill("SIGKILL"));
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()).once("error", () => resolve()));
  const access: Access = { host: "127.0.0.1", port, region: "us-east-1", ...KEY };
  await until(`${name} starts`, START_TIMEOUT_MS, async () =>
    request(access, { method: "PUT", path: `/${BUCKET}` }).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
    rmSync(storage, { recursive: true, force: true });
  };
  return { name, durable, access, bucket: BUCKET, pid: child.pid ?? 0, stop };
}
