/**
 * Common container tools with the registry: login, push, pull, several platforms, copies, deletion, and the exact words
 * of each refusal.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { newClient, newRepository } from "../fixtures/registry.ts";
import { useServer, type Client, type Server } from "../fixtures/server.ts";

interface Outcome {
  readonly code: number | null;
  readonly text: string;
  readonly elapsedMs: number;
}

/** A refusal must end a client at once; none may retry for long. */
const AT_ONCE_MS = 60_000;
const COMMAND_MS = 180_000;
const directory = mkdtempSync(join(tmpdir(), "mooring-registry-clients-"));
const environment = {
  PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`,
  HOME: directory,
  REGISTRY_AUTH_FILE: join(directory, "auth.json"),
  XDG_RUNTIME_DIR: directory,
  BUILDAH_ISOLATION: "chroot",
  DOCKER_CONFIG: join(directory, "docker-config"),
  DOCKER_HOST: `unix://${join(directory, "docker.sock")}`,
  // For keys that exist during this test only.
  COSIGN_PASSWORD: "",
  // For signatures as referrers.
  COSIGN_EXPERIMENTAL: "1",
};

/** Runs a command. Returns its standard output and standard error together. */
function run(command: string, args: readonly string[], input?: string): Outcome {
  const startedMs = performance.now();
  const done = spawnSync(command, args, { env: environment, encoding: "utf8", input, timeout: COMMAND_MS });
  return { code: done.status, text: `${done.stdout}${done.stderr}`, elapsedMs: performance.now() - startedMs };
}

function succeeds(command: string, args: readonly string[], input?: string): string {
  const outcome = run(command, args, input);
  assert.equal(outcome.code, 0, `${command} ${args.join(" ")}\n${outcome.text}`);
  return outcome.text;
}

function isRefused(outcome: Outcome, words: string): void {
  assert.notEqual(outcome.code, 0, outcome.text);
  assert.ok(outcome.text.includes(words), `${words}\nis not in\n${outcome.text}`);
  assert.ok(outcome.elapsedMs < AT_ONCE_MS, `it took ${outcome.elapsedMs} ms`);
}

/** Returns the path of a client without a Debian package: from a setting, or on the PATH. */
function binaryOf(name: string): string {
  return process.env[`MOORING_TEST_${name.toUpperCase()}`] ?? name;
}

/** Returns the reason why the tests of such a client don't run here. */
function missingBinary(name: string): string | false {
  if (missing(binaryOf(name)) === false) return false;
  return `${name} IS NOT TRIED: put it on the PATH, or set MOORING_TEST_${name.toUpperCase()} to its path`;
}

/** Returns the reason why a client's tests don't run here. */
function missing(...commands: string[]): string | false {
  const absent = commands.filter(
    (command) => spawnSync("sh", ["-c", `command -v ${command}`], { env: environment }).status !== 0,
  );
  return absent.length === 0 ? false : `not installed: ${absent.join(", ")}`;
}

/** Returns the reason why an installed client does not work here: some need more permissions of the system. */
function unusable(command: string, ...args: string[]): string | false {
  const reason = missing(command);
  if (reason !== false) return reason;
  const tried = run(command, args);
  return tried.code === 0 ? false : `${command} IS NOT TRIED, it does not work here: ${tried.text.trim().slice(-300)}`;
}

let domain: string;
let one: string;
let two: string;
let puller: Client;
/** A credential of CI: limited to the repository `one`. */
let ci: Client;
const shared = useServer({}, async ({ server, token }) => {
  domain = new URL(server.origin).host;
  [one, two] = [await newRepository(server, token), await newRepository(server, token)];
  puller = await newClient(server, token, ["registry:pull"]);
  ci = await limitedTo(server, token, one);
});
after(() => rmSync(directory, { recursive: true, force: true }));

/** Returns a new credential that pulls and pushes in one repository only. */
async function limitedTo(server: Server, token: string, name: string): Promise<Client> {
  const resources = { repositories: [name.split("/").at(-1)] };
  const json = { name: "ci", scopes: ["registry:pull", "registry:push"], resources };
  const made = await server.call<Client>("POST", "/v1/credentials", { token, json });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

const denied = (reason: string): string => `denied: requested access to the resource is denied: ${reason}`;
const wrongName = (): string => denied(`image name must be ${domain}/orgs/{org}/{app}`);
const loginFirst = (): string => denied(`authentication required, run`);
const mayNot = (client: Client, verb: string, name: string): string =>
  denied(`${client.client_id} may not ${verb} ${name}`);

/** Makes an image layout with umoci, with one file in it. Returns its path. */
function layout(): { readonly path: string; readonly content: Buffer } {
  const path = join(directory, `layout-${randomBytes(4).toString("hex")}`);
  const data = join(directory, "data");
  const content = randomBytes(2_000_000);
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "blob.bin"), content);
  succeeds("umoci", ["init", "--layout", path]);
  succeeds("umoci", ["new", "--image", `${path}:v1`]);
  succeeds("umoci", ["insert", "--image", `${path}:v1`, data, "/data"]);
  return { path, content };
}

/** The differences between three tools that share a library: how each logs in, pushes, and pulls. */
interface Tool {
  readonly name: string;
  readonly command: readonly string[];
  push(at: string): Outcome;
  pull(at: string): Outcome;
}

function testRefusals(tool: Tool, logins: { login(client: Client): void; logout(): void }): void {
  test("prints why a push with a wrong name, without a permission, or to a missing app is refused", () => {
    logins.login(shared.home.credential);
    isRefused(tool.push("foo/bar:1"), wrongName());
    isRefused(tool.push("orgs/acme/no-such-app:1"), mayNot(shared.home.credential, "push to", "orgs/acme/no-such-app"));
    isRefused(tool.pull("orgs/acme/no-such-app:1"), mayNot(shared.home.credential, "pull", "orgs/acme/no-such-app"));
    logins.login(puller);
    isRefused(tool.push(`${one}:1`), mayNot(puller, "push to", one));
    logins.logout();
    isRefused(tool.push(`${one}:1`), loginFirst());
    isRefused(tool.pull(`${one}:1`), loginFirst());
    logins.login(shared.home.credential);
  });
}

const ELSEWHERE = "it is limited to certain repositories, and this is none of them";

/**
 * CI pushes to one repository only. `push` sends an image whose layers the other repository has, too: the clients ask to
 * mount them from there, and must continue when they get nothing.
 */
function testOneRepository(tool: Tool, login: (client: Client) => void, words = (text: string): string => text): void {
  test("pushes to one repository only with a credential that is limited to it", () => {
    login(shared.home.credential);
    const elsewhere = tool.push(`${two}:of-others`);
    assert.equal(elsewhere.code, 0, elsewhere.text);
    login(ci);
    const pushed = tool.push(`${one}:by-ci`);
    assert.equal(pushed.code, 0, pushed.text);
    const pulled = tool.pull(`${one}:by-ci`);
    assert.equal(pulled.code, 0, pulled.text);
    for (const name of [two, "orgs/acme/no-such-app"]) {
      isRefused(tool.push(`${name}:by-ci`), words(`${mayNot(ci, "push to", name)}: ${ELSEWHERE}`));
      isRefused(tool.pull(`${name}:of-others`), words(`${mayNot(ci, "pull", name)}: ${ELSEWHERE}`));
    }
    login(shared.home.credential);
  });
}

const PLAIN = "--tls-verify=false";

describe("skopeo", { skip: missing("skopeo", "umoci") }, () => {
  let made: ReturnType<typeof layout>;
  const tool: Tool = {
    name: "skopeo",
    command: ["skopeo"],
    push: (at) => run("skopeo", ["copy", "--dest-tls-verify=false", `oci:${made.path}:v1`, `docker://${domain}/${at}`]),
    pull: (at) =>
      run("skopeo", ["copy", "--src-tls-verify=false", `docker://${domain}/${at}`, `dir:${join(directory, "pulled")}`]),
  };
  const login = ({ client_id, client_secret }: Client): void =>
    void succeeds("skopeo", ["login", PLAIN, "-u", client_id, "--password-stdin", domain], client_secret);
  before(() => {
    made = layout();
  });

  test("logs in, copies to, between and from repositories, inspects, and deletes", () => {
    login(shared.home.credential);
    const pushed = tool.push(`${one}:skopeo`);
    assert.equal(pushed.code, 0, pushed.text);
    succeeds("skopeo", [
      "copy",
      "--src-tls-verify=false",
      "--dest-tls-verify=false",
      `docker://${domain}/${one}:skopeo`,
      `docker://${domain}/${two}:copy`,
    ]);
    assert.match(succeeds("skopeo", ["inspect", PLAIN, `docker://${domain}/${two}:copy`]), /"copy"/);
    assert.match(succeeds("skopeo", ["list-tags", PLAIN, `docker://${domain}/${one}`]), /"skopeo"/);
    const back = join(directory, "back");
    succeeds("skopeo", ["copy", "--src-tls-verify=false", `docker://${domain}/${two}:copy`, `oci:${back}:v1`]);
    const unpacked = join(directory, "unpacked");
    succeeds("umoci", ["unpack", "--rootless", "--image", `${back}:v1`, unpacked]);
    assert.ok(readFileSync(join(unpacked, "rootfs/data/blob.bin")).equals(made.content), "the very bytes");
    succeeds("skopeo", ["delete", PLAIN, `docker://${domain}/${two}:copy`]);
    assert.notEqual(run("skopeo", ["inspect", PLAIN, `docker://${domain}/${two}:copy`]).code, 0);
  });

  testRefusals(tool, { login, logout: () => void succeeds("skopeo", ["logout", domain]) });
  testOneRepository(tool, login);

  test("copies nothing from another repository with a credential that is limited to one", () => {
    login(shared.home.credential);
    assert.equal(tool.push(`${two}:secret`).code, 0);
    login(ci);
    const names = [`docker://${domain}/${two}:secret`, `docker://${domain}/${one}:stolen`];
    const copied = run("skopeo", ["copy", "--src-tls-verify=false", "--dest-tls-verify=false", ...names]);
    isRefused(copied, `${mayNot(ci, "pull", two)}: ${ELSEWHERE}`);
    assert.doesNotMatch(succeeds("skopeo", ["list-tags", PLAIN, `docker://${domain}/${one}`]), /stolen/);
    login(shared.home.credential);
  });

  test("reports that a password is wrong", () => {
    isRefused(
      run("skopeo", ["login", PLAIN, "-u", puller.client_id, "--password-stdin", domain], "wrong"),
      "invalid username/password",
    );
  });
});

const PODMAN = [
  "--root",
  join(directory, "podman"),
  "--runroot",
  join(directory, "podman-run"),
  "--storage-driver",
  "vfs",
];

describe("podman", { skip: missing("umoci", "skopeo") || unusable("podman", ...PODMAN, "info") }, () => {
  const podman = (...args: string[]): Outcome => run("podman", [...PODMAN, ...args]);
  const ok = (...args: string[]): string => succeeds("podman", [...PODMAN, ...args]);
  const login = ({ client_id, client_secret }: Client): void =>
    void succeeds("podman", [...PODMAN, "login", PLAIN, "-u", client_id, "--password-stdin", domain], client_secret);
  const tool: Tool = {
    name: "podman",
    command: ["podman"],
    push: (at) => {
      ok("tag", `${domain}/${one}:podman`, `${domain}/${at}`);
      return podman("push", PLAIN, `${domain}/${at}`);
    },
    pull: (at) => podman("pull", PLAIN, `${domain}/${at}`),
  };

  test("logs in, pulls skopeo's image, pushes it under another name, and pulls it again", () => {
    login(shared.home.credential);
    succeeds("skopeo", [
      "copy",
      "--dest-tls-verify=false",
      `oci:${layout().path}:v1`,
      `docker://${domain}/${one}:podman`,
    ]);
    ok("pull", PLAIN, `${domain}/${one}:podman`);
    ok("tag", `${domain}/${one}:podman`, `${domain}/${two}:podman`);
    ok("push", PLAIN, `${domain}/${two}:podman`);
    ok("rmi", "--force", `${domain}/${two}:podman`);
    ok("pull", PLAIN, `${domain}/${two}:podman`);
  });

  testRefusals(tool, { login, logout: () => void ok("logout", domain) });
  testOneRepository(tool, login);
});

const BUILDAH = [
  "--root",
  join(directory, "buildah"),
  "--runroot",
  join(directory, "buildah-run"),
  "--storage-driver",
  "vfs",
];

describe("buildah", { skip: missing("skopeo") || unusable("buildah", ...BUILDAH, "info") }, () => {
  const ok = (...args: string[]): string => succeeds("buildah", [...BUILDAH, ...args]).trim();
  const login = ({ client_id, client_secret }: Client): void =>
    void succeeds("buildah", [...BUILDAH, "login", PLAIN, "-u", client_id, "--password-stdin", domain], client_secret);
  const tool: Tool = {
    name: "buildah",
    command: ["buildah"],
    push: (at) => run("buildah", [...BUILDAH, "push", PLAIN, "localhost/built:v1", `docker://${domain}/${at}`]),
    pull: (at) => run("buildah", [...BUILDAH, "pull", PLAIN, `docker://${domain}/${at}`]),
  };

  test("builds, pushes an image and an index of several platforms", () => {
    login(shared.home.credential);
    const file = join(directory, "built.txt");
    writeFileSync(file, randomBytes(100_000));
    const container = ok("from", "scratch");
    ok("copy", "--quiet", container, file, "/built.txt");
    ok("commit", "--quiet", container, "localhost/built:v1");
    assert.equal(tool.push(`${one}:buildah`).code, 0);
    ok("manifest", "create", "several");
    for (const arch of ["amd64", "arm64"]) {
      ok("config", "--arch", arch, container);
      ok("commit", "--quiet", "--manifest", "several", container, `localhost/built:${arch}`);
    }
    ok("manifest", "push", "--all", PLAIN, "several", `docker://${domain}/${one}:several`);
    const raw = succeeds("skopeo", ["inspect", "--raw", PLAIN, `docker://${domain}/${one}:several`]);
    const { manifests } = JSON.parse(raw) as { manifests: { platform: { architecture: string } }[] };
    assert.deepEqual(manifests.map(({ platform }) => platform.architecture).toSorted(), ["amd64", "arm64"]);
    ok("pull", PLAIN, `docker://${domain}/${one}:buildah`);
  });

  testRefusals(tool, { login, logout: () => void ok("logout", domain) });
});

/** Starts the Docker daemon. Returns it, or the reason why it does not start. */
async function startDocker(): Promise<ChildProcess | string> {
  const reason = missing("docker", "dockerd", "containerd");
  if (reason !== false) return reason;
  mkdirSync(environment.DOCKER_CONFIG, { recursive: true });
  const at = (name: string): string => join(directory, name);
  const network = ["--iptables=false", "--ip6tables=false", "--bridge=none"];
  const places = ["--data-root", at("docker-data"), "--exec-root", at("docker-exec"), "--pidfile", at("docker.pid")];
  const daemon = spawn(
    "dockerd",
    ["--storage-driver", "vfs", ...network, ...places, "--host", environment.DOCKER_HOST],
    {
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let log = "";
  daemon.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  const ready = (): true | null => {
    if (daemon.exitCode !== null) throw new Error("it ended");
    return run("docker", ["version"]).code === 0 ? true : null;
  };
  try {
    await eventually("the Docker daemon to be ready", ready, 120_000);
    return daemon;
  } catch (error) {
    daemon.kill("SIGKILL");
    return `docker IS NOT TRIED, its daemon does not start here: ${(error as Error).message}\n${log.slice(-500)}`;
  }
}

const daemon = await startDocker();

describe("docker", { skip: typeof daemon === "string" ? daemon : false }, () => {
  const docker = (...args: string[]): Outcome => run("docker", args);
  const login = ({ client_id, client_secret }: Client): void =>
    void succeeds("docker", ["login", "-u", client_id, "--password-stdin", domain], client_secret);
  const tool: Tool = {
    name: "docker",
    command: ["docker"],
    push: (at) => {
      succeeds("docker", ["tag", `${domain}/${one}:docker`, `${domain}/${at}`]);
      return docker("push", `${domain}/${at}`);
    },
    pull: (at) => docker("pull", `${domain}/${at}`),
  };

  after(async () => {
    if (typeof daemon === "string") return;
    const ended = new Promise((resolve) => daemon.once("exit", resolve));
    if (daemon.exitCode === null && daemon.kill("SIGTERM")) await ended;
  });

  test("logs in, pushes, pulls, and keeps no secret", () => {
    login(shared.home.credential);
    const config = readFileSync(join(environment.DOCKER_CONFIG, "config.json"), "utf8");
    const pair = `${shared.home.credential.client_id}:${shared.home.credential.client_secret}`;
    assert.ok(!config.includes(Buffer.from(pair).toString("base64")), "a refresh token replaces the secret");
    const archive = join(directory, "rootfs.tar");
    writeFileSync(join(directory, "in-docker.txt"), randomBytes(300_000));
    succeeds("tar", ["-C", directory, "-cf", archive, "in-docker.txt"]);
    succeeds("docker", ["import", archive, `${domain}/${one}:docker`]);
    succeeds("docker", ["push", `${domain}/${one}:docker`]);
    succeeds("docker", ["rmi", "--force", `${domain}/${one}:docker`]);
    succeeds("docker", ["pull", `${domain}/${one}:docker`]);
  });

  testRefusals(tool, { login, logout: () => void succeeds("docker", ["logout", domain]) });
  testOneRepository(tool, login);

  test("reports that a password is wrong", () => {
    isRefused(
      run("docker", ["login", "-u", puller.client_id, "--password-stdin", domain], "wrong"),
      "unauthorized: incorrect username or password",
    );
  });
});

const logIn = (command: string, words: readonly string[], { client_id, client_secret }: Client): void =>
  void succeeds(command, [...words, domain, "-u", client_id, "--password-stdin"], client_secret);

/** Writes a file for an image. */
function fileOf(name: string, bytes = 200_000): { readonly path: string; readonly content: Buffer } {
  const path = join(directory, name);
  const content = randomBytes(bytes);
  writeFileSync(path, content);
  return { path, content };
}

describe("crane", { skip: missingBinary("crane") }, () => {
  const crane = binaryOf("crane");
  const ok = (...args: string[]): string => succeeds(crane, args).trim();
  const login = (client: Client): void => logIn(crane, ["auth", "login"], client);
  let archive: string;
  const tool: Tool = {
    name: "crane",
    command: [crane],
    push: (at) => run(crane, ["append", "--new_layer", archive, "--new_tag", `${domain}/${at}`]),
    pull: (at) => run(crane, ["pull", `${domain}/${at}`, join(directory, "crane-refused.tar")]),
  };
  before(() => {
    mkdirSync(environment.DOCKER_CONFIG, { recursive: true });
    fileOf("in-crane.txt");
    archive = join(directory, "crane.tar");
    succeeds("tar", ["-C", directory, "-cf", archive, "in-crane.txt"]);
  });

  test("logs in, pushes, tags, lists, copies, pulls, makes an index, and deletes", () => {
    login(shared.home.credential);
    const pushed = tool.push(`${one}:crane`);
    assert.equal(pushed.code, 0, pushed.text);
    const digest = ok("digest", `${domain}/${one}:crane`);
    ok("tag", `${domain}/${one}:crane`, "crane-again");
    assert.match(ok("ls", `${domain}/${one}`), /^crane-again$/m);
    ok("copy", `${domain}/${one}:crane`, `${domain}/${two}:crane`);
    assert.equal(ok("digest", `${domain}/${two}:crane`), digest);
    ok("pull", "--format", "oci", `${domain}/${two}:crane`, join(directory, "crane-pulled"));
    ok("validate", "--remote", `${domain}/${two}:crane`);
    const members = ["first", "second"].map((label) => {
      const at = `${domain}/${one}:crane-${label}`;
      ok("mutate", `${domain}/${one}:crane`, "--label", `member=${label}`, "--tag", at);
      return ["--manifest", at];
    });
    ok("index", "append", ...members.flat(), "--tag", `${domain}/${one}:crane-index`);
    const index = JSON.parse(ok("manifest", `${domain}/${one}:crane-index`)) as { manifests: unknown[] };
    assert.equal(index.manifests.length, 2);
    ok("delete", `${domain}/${two}@${digest}`);
    assert.notEqual(run(crane, ["digest", `${domain}/${two}:crane`]).code, 0);
  });

  test("prints why a push with a wrong name, without a permission, or to a missing app is refused", () => {
    const DENIED = "DENIED: requested access to the resource is denied: ";
    login(shared.home.credential);
    isRefused(tool.push("foo/bar:1"), `${DENIED}image name must be ${domain}/orgs/{org}/{app}`);
    const id = shared.home.credential.client_id;
    isRefused(tool.push("orgs/acme/no-such-app:1"), `${DENIED}${id} may not push to orgs/acme/no-such-app`);
    login(puller);
    isRefused(tool.push(`${one}:1`), `${DENIED}${puller.client_id} may not push to ${one}`);
    rmSync(join(environment.DOCKER_CONFIG, "config.json"));
    isRefused(tool.push(`${one}:1`), `${DENIED}authentication required`);
    login(shared.home.credential);
  });

  testOneRepository(tool, login, (text) => text.replace("denied: ", "DENIED: "));

  test("sees only its repository in the catalog, and copies nothing from others", () => {
    login(shared.home.credential);
    assert.equal(tool.push(`${two}:secret`).code, 0);
    assert.equal(tool.push(`${one}:crane`).code, 0);
    assert.ok(ok("catalog", domain).split("\n").includes(two));
    login(ci);
    assert.deepEqual(ok("catalog", domain).split("\n"), [one]);
    isRefused(run(crane, ["copy", `${domain}/${two}:secret`, `${domain}/${one}:stolen`]), `may not pull ${two}`);
    isRefused(run(crane, ["copy", `${domain}/${one}:crane`, `${domain}/${two}:planted`]), `may not push to ${two}`);
    assert.doesNotMatch(ok("ls", `${domain}/${one}`), /stolen/);
    login(shared.home.credential);
  });
});

describe("cosign", { skip: missingBinary("cosign") || missing("skopeo", "umoci") }, () => {
  const cosign = binaryOf("cosign");

  test("signs with a new key, shows the artifacts of an image, verifies, and removes the signature", () => {
    mkdirSync(environment.DOCKER_CONFIG, { recursive: true });
    logIn(cosign, ["login"], shared.home.credential);
    logIn("skopeo", ["login", PLAIN], shared.home.credential);
    const digestFile = join(directory, "signed.digest");
    const to = [
      "--digestfile",
      digestFile,
      "--dest-tls-verify=false",
      `oci:${layout().path}:v1`,
      `docker://${domain}/${one}:signed`,
    ];
    succeeds("skopeo", ["copy", ...to]);
    const image = `${domain}/${one}@${readFileSync(digestFile, "utf8")}`;
    const key = join(directory, "cosign");
    succeeds(cosign, ["generate-key-pair", "--output-key-prefix", key]);
    const verify = (...more: string[]): Outcome =>
      run(cosign, ["verify", "--key", `${key}.pub`, "--insecure-ignore-tlog", "--allow-http-registry", ...more, image]);
    const sign = (...more: string[]): string =>
      succeeds(cosign, [
        "sign",
        "--yes",
        "--key",
        `${key}.key`,
        "--tlog-upload=false",
        "--allow-http-registry",
        ...more,
        image,
      ]);
    assert.notEqual(verify().code, 0, "the image is not signed yet");
    sign();
    assert.equal(verify().code, 0, verify().text);
    assert.match(succeeds(cosign, ["tree", "--allow-http-registry", image]), /Signatures for an image/);
    succeeds(cosign, ["clean", "--force", "--type", "signature", "--allow-http-registry", image]);
    assert.notEqual(verify().code, 0, "the signature is gone");
    sign("--registry-referrers-mode", "oci-1-1");
    const found = verify("--experimental-oci11");
    assert.equal(found.code, 0, found.text);
  });
});

describe("oras", { skip: missingBinary("oras") }, () => {
  const oras = binaryOf("oras");
  const ok = (...args: string[]): string => succeeds(oras, args).trim();

  test("logs in, pushes an artifact, attaches to it, finds that, copies all of it, pulls, and deletes", () => {
    mkdirSync(environment.DOCKER_CONFIG, { recursive: true });
    const [made, note] = [fileOf("in-oras.txt"), fileOf("note.txt", 500)];
    logIn(oras, ["login", "--plain-http"], shared.home.credential);
    const local = ["--plain-http", "--disable-path-validation"];
    ok("push", ...local, "--artifact-type", "application/vnd.example", `${domain}/${one}:oras`, made.path);
    ok("attach", ...local, "--artifact-type", "application/vnd.example.note", `${domain}/${one}:oras`, note.path);
    assert.match(ok("discover", "--plain-http", `${domain}/${one}:oras`), /application\/vnd\.example\.note/);
    ok("cp", "-r", "--from-plain-http", "--to-plain-http", `${domain}/${one}:oras`, `${domain}/${two}:oras`);
    assert.match(ok("discover", "--plain-http", `${domain}/${two}:oras`), /application\/vnd\.example\.note/);
    const pulled = join(directory, "oras-pulled");
    ok("pull", "--plain-http", "--output", pulled, "--allow-path-traversal", `${domain}/${two}:oras`);
    ok("manifest", "delete", "--plain-http", "--force", `${domain}/${two}:oras`);
    assert.notEqual(run(oras, ["manifest", "fetch", "--plain-http", `${domain}/${two}:oras`]).code, 0);
  });
});
