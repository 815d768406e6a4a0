/** deploy/compose.yaml: docker-compose accepts it, and its commands run as processes with its variables. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { postgresUrl } from "../fixtures/databases.ts";
import { freePort } from "../fixtures/ports.ts";
import { mooring } from "../fixtures/process.ts";
import { postgresMissing } from "../fixtures/postgres-server.ts";
import { makeBucket, s3Server, type Bucket } from "../fixtures/s3-server.ts";
import { startServer, type Bootstrap, type Server } from "../fixtures/server.ts";
import { missingPrograms, SMOKE_STEPS } from "../fixtures/smoke.ts";
import { documentsOf, missingYaml } from "../fixtures/yaml.ts";

const FILE = fileURLToPath(new URL("../../deploy/compose.yaml", import.meta.url));
const MANIFEST = fileURLToPath(new URL("../../server/package.json", import.meta.url));
const PASSWORD = "for0this0test0only";

interface Service {
  readonly image: string;
  readonly command?: string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly healthcheck: { readonly test: string[] };
}

type Services = Readonly<Record<"mooring" | "postgres", Service>>;

/** Docker's command has compose as a plugin, Debian's package has it as a program. */
const compose = [["docker-compose"], ["docker", "compose"]].find(
  ([command = "", ...words]) => spawnSync(command, [...words, "version"]).status === 0,
);
const skip =
  (compose === undefined ? "compose.yaml IS NOT CHECKED: docker-compose is not installed" : false) ||
  missingYaml() ||
  (postgresMissing() ?? false);

/** Returns the services that compose reads from the file with these variables. */
function services(variables: Readonly<Record<string, string>>): Services {
  const directory = mkdtempSync(join(tmpdir(), "mooring-compose-"));
  try {
    const lines = Object.entries({ POSTGRES_PASSWORD: PASSWORD, ...variables }).map(
      ([name, value]) => `${name}=${value}\n`,
    );
    writeFileSync(join(directory, ".env"), lines.join(""));
    writeFileSync(join(directory, "compose.yaml"), readFileSync(FILE));
    const [command = "", ...words] = compose ?? [];
    const text = execFileSync(command, [...words, "-f", "compose.yaml", "config"], {
      cwd: directory,
      encoding: "utf8",
    });
    const [file] = documentsOf<{ services: Services }>(text);
    return file?.services ?? assert.fail(text);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Starts the command of the service with its variables, on free ports and with a database of this test. */
async function startService(
  variables: Readonly<Record<string, string>>,
): Promise<{ server: Server; service: Service }> {
  const [port, s3Port] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${port}`;
  const addresses = { ADDRESS: origin, REGISTRY_DOMAIN: `127.0.0.1:${port}`, S3_ADDRESS: `http://127.0.0.1:${s3Port}` };
  const { mooring: service } = services({ ...addresses, ...variables });
  assert.deepEqual(service.command, ["serve"]);
  const { MOORING_DATABASE_URL: url, ...environment } = service.environment;
  assert.equal(url, `postgres://mooring:${PASSWORD}@postgres:5432/mooring`);
  const server = await startServer({
    database: "sqlite", // the address below says otherwise
    settings: { listen: `127.0.0.1:${port}`, s3_listen: `127.0.0.1:${s3Port}` },
    environment: { ...environment, MOORING_DATABASE_URL: await postgresUrl(origin) },
  });
  return { server, service };
}

describe("compose.yaml", { skip }, () => {
  test("a missing password is an error with a remedy", () => {
    const [command = "", ...words] = compose ?? [];
    const done = spawnSync(command, [...words, "-f", FILE, "config"], {
      cwd: tmpdir(),
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
    assert.notEqual(done.status, 0);
    assert.match(done.stderr, /POSTGRES_PASSWORD.*write it into \.env/);
  });

  test("the image is the one of this version, with a read-only root", () => {
    const { version } = JSON.parse(readFileSync(MANIFEST, "utf8")) as { version: string };
    const { mooring: service } = services({});
    assert.equal(service.image, `mooring:${version}`);
    assert.equal(service.read_only, true);
  });

  describe("its server with PostgreSQL", () => {
    const directory = mkdtempSync(join(tmpdir(), "mooring-compose-server-"));
    let started: { server: Server; service: Service };
    let home: Bootstrap;
    before(async () => {
      started = await startService({});
      home = await started.server.bootstrap();
    });
    after(async () => {
      await started?.server.dispose();
      rmSync(directory, { recursive: true });
    });

    test("its health check passes", async () => {
      const { dataDir, environment } = started.server;
      const [kind, command, ...words] = started.service.healthcheck.test;
      assert.deepEqual([kind, command], ["CMD", "mooring"]);
      const outcome = await mooring([...words, "--data-dir", dataDir], { environment });
      assert.equal(outcome.code, 0, outcome.stderr);
    });

    test("the database's health check passes", async () => {
      const { hostname, port } = new URL(started.server.environment["MOORING_DATABASE_URL"] ?? "");
      const [, command = "", ...words] = services({}).postgres.healthcheck.test;
      const [program = command] = globSync(`/usr/lib/postgresql/*/bin/${command}`);
      const done = spawnSync(program, words, { env: { PGHOST: hostname, PGPORT: port }, encoding: "utf8" });
      assert.equal(done.status, 0, `${done.stdout}${done.stderr}`);
    });

    for (const step of SMOKE_STEPS)
      test(step.name, { skip: missingPrograms(step) }, () => {
        const client = { clientAddress: "127.0.0.7", localAddress: "127.0.0.7" };
        return step.run({ origin: started.server.origin, home, largeBytes: 8 * 1024 ** 2, directory, ...client });
      });
  });

  test("with the variables of an S3 store, content goes there", async () => {
    const store = await s3Server();
    const bucket: Bucket = await makeBucket(store);
    const { server } = await startService({
      S3_BUCKET: bucket.name,
      S3_STORE: store.endpoint,
      S3_ACCESS_KEY_ID: store.accessKeyId,
      S3_SECRET_ACCESS_KEY: store.secretAccessKey,
    });
    try {
      const { credential } = await server.bootstrap();
      const json = { filename: "a.txt", content_type: "text/plain" };
      const grant = await server.call<{ data: { upload_url: string } }>("POST", "/v1/upload", {
        token: await server.token(credential),
        json,
      });
      const headers = { "content-type": "text/plain" };
      const put = await fetch(grant.body.data.upload_url, { method: "PUT", body: "stored elsewhere", headers });
      assert.equal(put.status, 200, await put.text());
      assert.ok(
        [...(await bucket.keys()).values()].includes("stored elsewhere".length),
        "an object of its size is in the bucket",
      );
    } finally {
      await server.dispose();
      await bucket[Symbol.asyncDispose]();
    }
  });
});
