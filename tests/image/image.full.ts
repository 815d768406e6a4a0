/** The container image: built twice, pushed to our own registry, pulled back, and run with every interface. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  buildImage,
  missingBuilder,
  missingPodman,
  Podman,
  startContainer,
  type BuiltImage,
  type Container,
} from "../fixtures/container.ts";
import { newRepository } from "../fixtures/registry.ts";
import { useServer } from "../fixtures/server.ts";
import { missingPrograms, SMOKE_STEPS } from "../fixtures/smoke.ts";
import { attackBySql } from "../fixtures/sql-attacks.ts";

const MIB = 1024 ** 2;
const COMPRESSED_BYTES_MAX = 100 * MIB;
const LARGE_BYTES = 64 * MIB;
const DATA = "/var/lib/mooring";
const NOTICES = [
  "usr/lib/mooring/THIRD_PARTY_NOTICES.md",
  "usr/lib/mooring/portal/portal/third-party-notices.txt",
  "usr/share/doc/nodejs/copyright",
  "usr/share/doc/libc6/copyright",
];
const LAYERS = ["limits", "namespaces", "read-only files", "hidden data", "privileges", "memory watchdog"];

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string };
}

const directory = mkdtempSync(join(tmpdir(), "mooring-image-test-"));
let built: BuiltImage;

function blob<T>({ digest }: Descriptor): T {
  return JSON.parse(readFileSync(blobPath(digest), "utf8")) as T;
}

function blobPath(digest: string): string {
  return join(built.layout, "blobs", digest.replace(":", "/"));
}

function platform(architecture: string): { config: Config; layers: Descriptor[] } {
  const { manifests } = blob<{ manifests: Descriptor[] }>({ digest: built.digest, size: 0 });
  const found = manifests.find((each) => each.platform?.architecture === architecture) ?? assert.fail(architecture);
  const { config, layers } = blob<{ config: Descriptor; layers: Descriptor[] }>(found);
  return { config: blob<Config>(config), layers };
}

interface Config {
  readonly architecture: string;
  readonly config: {
    readonly User: string;
    readonly Labels: Readonly<Record<string, string>>;
    readonly Healthcheck: { readonly Test: string[] };
  };
}

/** Runs a client of the registry. */
function succeeds(command: string, words: readonly string[], input?: string): string {
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: directory,
    DOCKER_CONFIG: directory,
    REGISTRY_AUTH_FILE: join(directory, "config.json"),
  };
  const done = spawnSync(command, words, { env, input, encoding: "utf8", timeout: 180_000 });
  assert.equal(done.status, 0, `${command} ${words.join(" ")}\n${done.stdout}${done.stderr}`);
  return done.stdout;
}

describe("the image", { skip: missingBuilder() }, () => {
  const shared = useServer();
  before(() => {
    built = buildImage(join(directory, "one"));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  test("a second build gives the same digest", (context) => {
    for (const line of built.output.split("\n").filter((each) => each.startsWith("linux/"))) context.diagnostic(line);
    assert.equal(buildImage(join(directory, "two")).digest, built.digest);
    rmSync(join(directory, "two"), { recursive: true });
  });

  for (const architecture of ["amd64", "arm64"])
    test(`${architecture}: at most 100 MiB, labels, a health check, and no file that makes its user root`, () => {
      const { config, layers } = platform(architecture);
      assert.equal(config.architecture, architecture);
      assert.ok(layers.reduce((sum, { size }) => sum + size, 0) < COMPRESSED_BYTES_MAX);
      assert.equal(config.config.User, "10001:10001");
      for (const name of ["title", "version", "revision", "created", "licenses", "base.name"])
        assert.notEqual(config.config.Labels[`org.opencontainers.image.${name}`] ?? "", "", name);
      assert.deepEqual(config.config.Healthcheck.Test.slice(-1), ["healthcheck"]);
      for (const { digest } of layers) {
        const listing = succeeds("tar", ["--list", "--verbose", "--gzip", "--file", blobPath(digest)]).split("\n");
        assert.deepEqual(
          listing.filter((line) => /^[^l]..[sS]|^[^l].....[sS]|^-.......w/.test(line)),
          [],
        );
      }
    });

  test("a list of its parts has Debian's packages, Node, the engine of its platform and the code in the program", () => {
    for (const [architecture, cpu] of [
      ["amd64", "x64"],
      ["arm64", "arm64"],
    ] as const) {
      const file = join(built.layout, `../mooring-image-${built.version}-linux-${architecture}.cdx.json`);
      const { components } = JSON.parse(readFileSync(file, "utf8")) as { components: { name: string }[] };
      const names = components.map((each) => each.name);
      for (const name of ["libc6", "mooring", "fastify", `node-linux-${cpu}`, `@duckdb/node-bindings-linux-${cpu}`])
        assert.equal(names.filter((each) => each === name).length, 1, name);
      assert.deepEqual(
        names.filter((each) => /darwin|win32|win-x64|musl/.test(each)),
        [],
      );
    }
  });

  test("each platform has the licences of the program, the portal, Node and Debian's packages", () => {
    for (const architecture of ["amd64", "arm64"]) {
      const listings = platform(architecture).layers.map(({ digest }) =>
        succeeds("tar", ["--list", "--gzip", "--file", blobPath(digest)]),
      );
      const names = listings.flatMap((listing) => listing.split("\n").map((name) => name.replace(/^\.\//, "")));
      for (const path of NOTICES) assert.ok(names.includes(path), `${architecture}: ${path}`);
    }
  });

  test("every program and library is for the platform", () => {
    for (const [architecture, machine] of [
      ["amd64", 62],
      ["arm64", 183],
    ] as const) {
      const found = platform(architecture).layers.flatMap(({ digest }) => machines(blobPath(digest)));
      assert.ok(found.length > 100, `${found.length} programs and libraries`);
      assert.deepEqual(
        found.filter((each) => each.machine !== machine),
        [],
      );
    }
  });

  for (const client of ["skopeo", process.env["MOORING_TEST_CRANE"] ?? "crane"])
    test(`${client} pushes both platforms to our registry, and gets them back`, { skip: missing(client) }, async () => {
      const { server, home, token } = shared;
      const domain = new URL(server.origin).host;
      const at = `${domain}/${await newRepository(server, token)}:${built.version}`;
      const { client_id: id, client_secret: secret } = home.credential;
      const back = join(directory, `back-${client.split("/").at(-1)}`);
      if (client === "skopeo") {
        succeeds("skopeo", ["login", "--tls-verify=false", "--username", id, "--password-stdin", domain], secret);
        const source = `oci:${built.layout}:${built.version}`;
        succeeds("skopeo", ["copy", "--all", "--dest-tls-verify=false", source, `docker://${at}`]);
        succeeds("skopeo", [
          "copy",
          "--all",
          "--src-tls-verify=false",
          `docker://${at}`,
          `oci:${back}:${built.version}`,
        ]);
      } else {
        succeeds(client, ["auth", "login", "--username", id, "--password-stdin", domain], secret);
        succeeds(client, ["push", built.layout, at]);
        succeeds(client, ["pull", "--format=oci", at, back]);
      }
      const digests = JSON.stringify(JSON.parse(readFileSync(join(back, "index.json"), "utf8")));
      assert.ok(digests.includes(built.digest), `${built.digest} is not in ${digests}`);
      rmSync(back, { recursive: true });
    });

  describe("in a container, without capabilities and with a read-only root", { skip: missingPodman() }, () => {
    let podman: Podman;
    let container: Container;
    before(async () => {
      podman = new Podman();
      const { server, home, token } = shared;
      const domain = new URL(server.origin).host;
      const at = `${domain}/${await newRepository(server, token)}:${built.version}`;
      const { client_id: id, client_secret: secret } = home.credential;
      succeeds("skopeo", ["login", "--tls-verify=false", "--username", id, "--password-stdin", domain], secret);
      succeeds("skopeo", [
        "copy",
        "--all",
        "--dest-tls-verify=false",
        `oci:${built.layout}:${built.version}`,
        `docker://${at}`,
      ]);
      succeeds("skopeo", [
        "copy",
        "--src-tls-verify=false",
        `docker://${at}`,
        podman.storage("localhost/mooring:test"),
      ]);
      container = await startContainer(podman, "localhost/mooring:test");
    });
    after(() => podman.dispose());

    test("doctor finds no fault, and every layer of the sandbox of SQL", () => {
      const { code, stdout, stderr } = container.exec("mooring", "doctor", "--json");
      assert.equal(code, 0, `${stdout}${stderr}`);
      const findings = JSON.parse(stdout) as { check: string; detail: string }[];
      const detail = findings.find(({ check }) => check === "query sandbox")?.detail;
      assert.equal(detail, `active: ${LAYERS.join(", ")}`);
    });

    test("the health check passes, and fails without a server", () => {
      const check = platform("amd64").config.config.Healthcheck.Test.slice(1);
      const healthy = container.exec(...check);
      assert.equal(healthy.code, 0, `${healthy.stdout}${healthy.stderr}`);
      const alone = podman.try(
        "run",
        "--rm",
        "--network=host",
        "--cgroups=disabled",
        "localhost/mooring:test",
        "healthcheck",
      );
      assert.equal(alone.code, 1);
      assert.match(alone.stderr, /no server runs on \/var\/lib\/mooring/);
    });

    test("only the data directory can be written, by a user who is not root", () => {
      assert.match(container.exec("id").stdout, /^uid=10001\(mooring\) gid=10001\(mooring\)/);
      for (const path of ["/", "/tmp", "/etc/mooring", "/usr/lib/mooring", "/var/lib"])
        assert.match(container.exec("touch", `${path}/probe`).stderr, /Read-only file system|Permission denied/, path);
      assert.equal(container.exec("touch", `${DATA}/probe`).code, 0);
      assert.equal(container.exec("rm", `${DATA}/probe`).code, 0);
    });

    for (const step of SMOKE_STEPS)
      test(step.name, { skip: missingPrograms(step) }, () => {
        const client = { clientAddress: "127.0.0.7", localAddress: "127.0.0.7" };
        return step.run({
          origin: container.origin,
          home: container.home,
          largeBytes: LARGE_BYTES,
          directory,
          ...client,
        });
      });

    test("attacks by SQL are refused or end, and the server continues to answer", async (context) => {
      const { refused, ended } = await attackBySql({ ...container, dataDir: DATA });
      context.diagnostic(`${refused} refused, ${ended} ended`);
    });

    test("no process is left over, and SIGTERM ends the server in order", () => {
      const states = container.exec("sh", "-c", "cat /proc/[0-9]*/stat").stdout.split("\n");
      assert.deepEqual(
        states.filter((line) => / Z /.test(line)),
        [],
        "no zombies",
      );
      podman.run("stop", "--time", "20", container.name);
      assert.equal(podman.run("inspect", "--format={{.State.ExitCode}}", container.name).trim(), "0");
      assert.match(container.logs(), /^stopped$/m);
    });
  });
});

function missing(command: string): string | false {
  return spawnSync("sh", ["-c", `command -v ${command}`]).status === 0
    ? false
    : `${command} IS NOT TRIED: it is not installed`;
}

/** The processor of each program and library of a layer, from its ELF header. */
function machines(archive: string): { name: string; machine: number }[] {
  const target = mkdtempSync(join(directory, "elf-"));
  succeeds("tar", ["--extract", "--gzip", "--file", archive, "--directory", target]);
  const files = succeeds("find", [target, "-type", "f", "-size", "+1k"]).split("\n").filter(Boolean);
  const found = files.flatMap((name) => {
    const head = readFileSync(name).subarray(0, 20);
    return head.toString("latin1", 0, 4) === "\x7fELF"
      ? [{ name: name.slice(target.length), machine: head.readUInt16LE(18) }]
      : [];
  });
  rmSync(target, { recursive: true });
  return found;
}
