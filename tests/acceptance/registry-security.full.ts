/** Known attacks on other registries, and the quota of an organization's images. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { test } from "node:test";
import { eventually, mooring } from "../fixtures/process.ts";
import {
  descriptorOf,
  digestOf,
  imageOf,
  newClient,
  newRepository,
  OCI_MANIFEST,
  registryRefused,
  repositoryOf,
  send,
  unique,
  type RegistryAnswer,
  type RepositoryClient,
  registryToken,
} from "../fixtures/registry.ts";
import { bootstrap, useServer, type Bootstrap } from "../fixtures/server.ts";

const MIB = 1024 * 1024;
const QUOTA = 40 * MIB;
const settings = {
  registry_stored_bytes_max: QUOTA,
  registry_lease_ms: 100,
  registry_collect_ms: 86_400_000,
  upload_idle_timeout_ms: 2000,
};
let one: RepositoryClient;
let rival: Bootstrap;
const shared = useServer({ settings }, async ({ server, home, token }) => {
  one = await repositoryOf(server, home.credential, await newRepository(server, token));
  rival = await bootstrap(server.dataDir, server.environment, { org: "rival", project: "theirs", app: "theirs" });
});

const put = (at: RepositoryClient, document: object, reference = "x"): Promise<RegistryAnswer> =>
  at.call("PUT", `manifests/${reference}`, {
    body: JSON.stringify(document),
    headers: { "content-type": OCI_MANIFEST },
  });

test("a digest alone opens nothing: not by mount, HEAD, GET, nor a manifest that names it", async () => {
  const { server, token } = shared;
  const secret = randomBytes(5000);
  const image = await one.image([secret], { tag: "secret" });
  const theirs = await repositoryOf(server, rival.credential, "orgs/rival/theirs", "pull,push,delete");
  const project = unique("project-");
  const owner = await server.call("POST", "/v1/projects", { token, json: { slug: project } });
  assert.equal(owner.status, 201, owner.text);
  const bound = await newClient(server, token, ["registry:pull", "registry:push"], project);
  const inside = await repositoryOf(server, bound, await newRepository(server, token, { project }), "pull,push");
  for (const [other, client] of [
    [theirs, rival.credential],
    [inside, bound],
  ] as const) {
    await other.blob("{}");
    const scopes = [`repository:${other.name}:pull,push`, `repository:${one.name}:pull`];
    const both = { auth: await registryToken(server.origin, scopes, client) };
    for (const from of [`&from=${one.name}`, ""]) {
      const at = `blobs/uploads/?mount=${digestOf(secret)}${from}`;
      const mounted = await other.call("POST", at, both);
      assert.equal(mounted.status, 202, "an upload begins, as for an unknown blob");
      assert.equal(
        (await other.call("POST", at)).status,
        from === "" ? 202 : 401,
        "the client may ask for the source first",
      );
    }
    for (const method of ["HEAD", "GET"]) {
      assert.equal((await other.call(method, `blobs/${digestOf(secret)}`)).status, 404);
      assert.equal((await other.call(method, `manifests/${image}`)).status, 404);
    }
    registryRefused(await put(other, imageOf("{}", [secret])), 404, "MANIFEST_BLOB_UNKNOWN");
    assert.notEqual(
      (await other.call("GET", "tags/list", { auth: other.auth })).content.toString().includes("secret"),
      true,
    );
  }
});

test("a token of one repository gives nothing at another, with any path", async () => {
  const { server } = shared;
  const [, , slug] = one.name.split("/");
  const paths = [
    `/v2/orgs/rival/theirs/../../acme/${slug}/tags/list`,
    `/v2/orgs/acme/${slug}/../../rival/theirs/tags/list`,
    `/v2/orgs%2facme%2f${slug}/tags/list`,
    `/v2/orgs/acme/%2e%2e/${slug}/tags/list`,
    `/v2//orgs/acme/${slug}/tags/list`,
    `/v2/orgs/acme//${slug}/tags/list`,
    `/v2/orgs/acme/${slug}%00/tags/list`,
    `/v2/orgs/acme/${slug}/tags/list/`,
    `/v2/orgs/ACME/${slug}/tags/list`,
    `/v2/orgs/acme/${"a".repeat(300)}/tags/list`,
    `/v2/orgs/acme/${slug}/blobs/..%2f..%2fmanifests%2fx`,
    `/v2/orgs/acme/${slug}/blobs/uploads/%2e%2e`,
    `/v2/tags/list`,
    `/v2/x`,
  ];
  for (const path of paths) {
    const answer = await send(server.origin, "GET", path, { auth: one.auth }).catch((error: Error) => error);
    // The server refuses bytes that are not a path before the registry sees them.
    if (answer instanceof Error) assert.match(answer.message, /unescaped|Version/, path);
    else assert.ok(answer.status >= 400 && answer.status < 500, `${path}: ${answer.status}`);
  }
  assert.equal((await send(server.origin, "GET", `/v2/${one.name}/tags/list`, { auth: one.auth })).status, 200);
});

test("immutable tags can't be moved or deleted, in any way, with any name", async () => {
  const { server, token, home } = shared;
  const at = await repositoryOf(server, home.credential, await newRepository(server, token));
  const api = `/v1/registry/repositories/${at.name.split("/")[2]}`;
  assert.equal(
    (await server.call("PATCH", api, { token, json: { immutable_tags: ["v*", "latest", "rel-*-final"] } })).status,
    200,
  );
  const tags = ["v1", "latest", "rel-7-final"];
  for (const tag of tags) {
    const digest = await at.image([tag], { tag });
    const { content } = await at.call("GET", `manifests/${digest}`);
    assert.equal(
      (await at.call("PUT", `manifests/${tag}`, { body: content, headers: { "content-type": OCI_MANIFEST } })).status,
      201,
      "pushing the same manifest again does not move the tag",
    );
    const other = imageOf("{}", [], { annotations: { n: unique() } });
    const refusedAs = (answer: RegistryAnswer): void =>
      registryRefused(answer, 403, "DENIED", `the tag ${tag} is immutable`);
    refusedAs(await put(at, other, tag));
    refusedAs(await put(at, other, `${digestOf(JSON.stringify(other))}?tag=free&tag=${tag}`));
    assert.equal((await at.call("HEAD", "manifests/free")).status, 404);
    refusedAs(await at.call("DELETE", `manifests/${tag}`));
    refusedAs(await at.call("DELETE", `manifests/${digest}`));
    registryRefused(await at.call("DELETE", `blobs/${digestOf(tag)}`), 405, "UNSUPPORTED");
    assert.equal((await server.call("DELETE", api, { token })).status, 409);
    assert.equal((await at.call("HEAD", `manifests/${tag}`)).headers["docker-content-digest"], digest);
  }
  await at.image(["x"], { tag: "dev" });
  await at.image(["y"], { tag: "dev" });
  assert.equal((await at.call("DELETE", "manifests/dev")).status, 202);
});

test("a tag of the fallback scheme can't hide referrers of an image", async () => {
  await one.blob("{}");
  const subject = descriptorOf(randomBytes(10), OCI_MANIFEST);
  const signature = { ...imageOf("{}", []), artifactType: "x/signature", subject };
  const digest = await one.manifest(signature);
  await one.manifest(
    JSON.stringify({ schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests: [] }),
    { tag: subject.digest.replace(":", "-") },
  );
  const answer = await one.call("GET", `referrers/${subject.digest}`);
  assert.ok(answer.content.toString().includes(digest));
});

test("the same manifest is never served as two types, and nobody requests the URLs of layers", async () => {
  await one.blob("{}");
  const bare = { schemaVersion: 2, config: descriptorOf("{}", "application/json"), layers: [] };
  const body = JSON.stringify(bare);
  const at = `manifests/${digestOf(body)}`;
  assert.equal((await one.call("PUT", at, { body, headers: { "content-type": OCI_MANIFEST } })).status, 201);
  registryRefused(
    await one.call("PUT", at, {
      body,
      headers: { "content-type": "application/vnd.docker.distribution.manifest.v2+json" },
    }),
    400,
    "MANIFEST_INVALID",
  );
  assert.equal((await one.call("HEAD", at)).headers["content-type"], OCI_MANIFEST);
});

test("a body that breaks off never becomes a blob, and an upload continues after the break", async () => {
  const content = randomBytes(200_000);
  const digest = digestOf(content);
  const { hostname, port } = new URL(shared.server.origin);
  const half = async (method: string, path: string): Promise<void> => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    const head = [
      `${method} ${path} HTTP/1.1`,
      `host: ${hostname}`,
      `authorization: ${one.auth}`,
      `content-length: ${content.length}`,
      "",
      "",
    ].join("\r\n");
    await new Promise<void>((resolve) =>
      socket.write(Buffer.concat([Buffer.from(head), content.subarray(0, 100_000)]), () => resolve()),
    );
    // Destroyed once the server has read it, which a session with content shows.
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
  };
  await half("POST", `/v2/${one.name}/blobs/uploads/?digest=${digest}`);
  const location = String((await one.call("POST", "blobs/uploads/")).headers.location);
  await half("PATCH", location);
  const received = await eventually("the received bytes to be kept", async () => {
    const { headers } = await send(shared.server.origin, "GET", location, { auth: one.auth });
    const last = Number(String(headers["range"]).slice(2));
    return last > 0 ? last + 1 : null;
  });
  assert.equal((await one.call("HEAD", `blobs/${digest}`)).status, 404);
  const rest = content.subarray(received);
  const headers = { "content-range": `${received}-${content.length - 1}` };
  assert.equal(
    (await send(shared.server.origin, "PATCH", location, { auth: one.auth, body: rest, headers })).status,
    202,
  );
  assert.equal(
    (await send(shared.server.origin, "PUT", `${location}?digest=${digest}`, { auth: one.auth })).status,
    201,
  );
  assert.ok((await one.call("GET", `blobs/${digest}`)).content.equals(content));
});

test("an upload without further bytes is ended", async () => {
  const { hostname, port } = new URL(shared.server.origin);
  const location = String((await one.call("POST", "blobs/uploads/")).headers.location);
  const socket = connect(Number(port), hostname);
  const closed = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
  socket.write(
    `PATCH ${location} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${one.auth}\r\ncontent-length: 1000\r\n\r\nabc`,
  );
  assert.match(await closed, /^HTTP\/1\.1 408 /);
});

test("a forbidden push is refused before its body is requested", async () => {
  const { hostname, port } = new URL(shared.server.origin);
  const puller = await repositoryOf(
    shared.server,
    await newClient(shared.server, shared.token, ["registry:pull"]),
    one.name,
    "pull,push",
  );
  const socket = connect(Number(port), hostname);
  const first = new Promise<string>((resolve) => socket.once("data", (chunk: Buffer) => resolve(chunk.toString())));
  socket.write(
    `POST /v2/${one.name}/blobs/uploads/?digest=${digestOf("x")} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${puller.auth}\r\nexpect: 100-continue\r\ncontent-length: 1000000\r\n\r\n`,
  );
  assert.match(await first, /^HTTP\/1\.1 403 /);
  socket.destroy();
});

test("the operator sets a quota of images beside the server, and removes it", async () => {
  const { server } = shared;
  const bounded = await bootstrap(server.dataDir, server.environment, {
    org: "bounded",
    project: "theirs",
    app: "few",
  });
  const few = await repositoryOf(server, bounded.credential, "orgs/bounded/few", "pull,push");
  const quota = async (...words: string[]): Promise<unknown> => {
    const outcome = await mooring(["quota", ...words, "--data-dir", server.dataDir, "--json"], {
      environment: server.environment,
    });
    assert.equal(outcome.code, 0, outcome.stderr);
    return (JSON.parse(outcome.stdout) as { organization: string; images_stored_bytes_max: number | null }[])
      .filter(({ organization }) => organization === "bounded")
      .map((line) => line.images_stored_bytes_max);
  };
  const push = (bytes: number): Promise<RegistryAnswer> => {
    const content = randomBytes(bytes);
    return few.call("POST", `blobs/uploads/?digest=${digestOf(content)}`, { body: content });
  };
  assert.deepEqual(await quota("bounded", "--images", "1KiB"), [1024]);
  assert.deepEqual(await quota(), [1024]);
  registryRefused(await push(1025), 403, "DENIED", "1024 more bytes of images");
  assert.equal((await push(1024)).status, 201);
  registryRefused(await push(1), 403, "DENIED", "0 more bytes of images");
  assert.deepEqual(await quota("bounded", "--images", "none"), [Number.MAX_SAFE_INTEGER]);
  assert.equal((await push(1)).status, 201);
  assert.deepEqual(await quota("bounded", "--images", "default"), [null]);
});

test("parallel pushes can't exceed the quota; a cancelled or collected push frees it; near it, clients are warned", async () => {
  const { server, dataDir, environment } = { ...shared.server, server: shared.server };
  const theirs = await repositoryOf(server, rival.credential, "orgs/rival/theirs", "pull,push,delete");
  const size = 6 * MIB;
  const contents = Array.from({ length: 10 }, () => randomBytes(size));
  const push = (content: Buffer): Promise<RegistryAnswer> =>
    theirs.call("POST", `blobs/uploads/?digest=${digestOf(content)}`, { body: content });
  const answers = await Promise.all(contents.map(push));
  const taken = answers.filter(({ status }) => status === 201).length;
  assert.ok(taken >= 1 && taken * size <= QUOTA, `${taken} of 10`);
  for (const answer of answers)
    if (answer.status !== 201) registryRefused(answer, 403, "DENIED", "more bytes of images");
  const again = contents[answers.findIndex(({ status }) => status === 201)] as Buffer;
  assert.equal((await push(again)).status, 201, "existing content uses no quota");
  for (let n = taken; n < 6; n++) assert.equal((await push(randomBytes(size))).status, 201, "there is space for six");
  registryRefused(await push(randomBytes(size)), 403, "DENIED");
  const started = String((await theirs.call("POST", "blobs/uploads/")).headers.location);
  assert.equal(
    (await send(server.origin, "PATCH", started, { auth: theirs.auth, body: randomBytes(3 * MIB) })).status,
    202,
  );
  registryRefused(
    await theirs.call("POST", `blobs/uploads/?digest=${digestOf("y")}`, { body: randomBytes(3 * MIB) }),
    403,
    "DENIED",
  );
  await theirs.blob("{}");
  const warned = await put(theirs, imageOf("{}", []));
  assert.equal(warned.status, 201);
  assert.match(String(warned.headers["warning"]), /^299 - "the organization has used 9\d % of its quota for images"$/);
  assert.equal((await send(server.origin, "DELETE", started, { auth: theirs.auth })).status, 204);
  const collected = await mooring(["registry", "gc", "--json", "--data-dir", dataDir, "--registry-lease-ms", "100"], {
    environment,
  });
  assert.equal(collected.code, 0, collected.stderr);
  assert.ok((JSON.parse(collected.stdout) as { bytes: number }).bytes >= 5 * size, collected.stdout);
  assert.equal((await push(randomBytes(size))).status, 201);
});

test("the log has no secret, and all images are complete", async () => {
  const { server, home } = shared;
  const log = server.stderr();
  for (const secret of [home.credential.client_secret, one.auth.slice(7), "mrrr."]) assert.ok(!log.includes(secret));
  const { dataDir, environment } = server;
  const checked = await mooring(["registry", "fsck", "--json", "--data-dir", dataDir], { environment });
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
});

test("pushes, pulls and deletions are listed, counted and in the audit log", async () => {
  const { server, token, home } = shared;
  const at = await repositoryOf(server, home.credential, await newRepository(server, token));
  const slug = String(at.name.split("/")[2]);
  const digest = await at.image(["told"], { tag: "v1" });
  for (let i = 0; i < 3; i++) assert.equal((await at.call("GET", "manifests/v1")).status, 200);
  const path = `/v1/registry/repositories/${slug}`;
  await eventually("pulls to be counted", async () =>
    (await server.call("GET", path, { token })).body["pulls"] === 3 ? true : null,
  );
  const image = await server.call("GET", `${path}/manifests/v1`, { token });
  assert.equal(image.status, 200, image.text);
  assert.equal(image.body["digest"], digest);
  assert.deepEqual(image.body["tags"], ["v1"]);
  assert.equal(image.body["pulls"], 3);
  assert.equal((image.body["layers"] as unknown[]).length, 1);
  assert.equal((await at.call("DELETE", `manifests/${digest}`)).status, 202);
  assert.equal((await server.call("DELETE", path, { token })).status, 204);
  assert.equal((await server.call("DELETE", `/v1/apps/${slug}`, { token })).status, 204);
  const { body } = await server.call<{ items: { action: string; detail: { repository?: string } }[] }>(
    "GET",
    "/v1/audit?limit=50",
    { token },
  );
  const actions = body.items.filter(({ detail }) => detail.repository === at.name).map(({ action }) => action);
  assert.deepEqual(actions.toReversed(), ["image.push", "image.delete", "repository.empty"]);
});
