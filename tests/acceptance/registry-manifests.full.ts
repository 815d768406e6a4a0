/** Manifests, tags and referrers of container images: every form, by digest and by tag, listed and deleted. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import {
  descriptorOf,
  digestOf,
  DOCKER_LIST,
  DOCKER_MANIFEST,
  imageOf,
  indexOf,
  newClient,
  newRepository,
  OCI_INDEX,
  OCI_MANIFEST,
  registryRefused,
  repositoryOf,
  unique,
  type Algorithm,
  type RegistryAnswer,
  type RepositoryClient,
} from "../fixtures/registry.ts";
import { useSharedServer } from "../fixtures/server.ts";

const ALGORITHMS: readonly Algorithm[] = ["sha256", "sha512"];
const CONFIG = '{"architecture":"amd64","os":"linux"}';
const OCI_ARTIFACT = "application/vnd.oci.artifact.manifest.v1+json";
let one: RepositoryClient;
const shared = useSharedServer(async ({ server, home, token }) => {
  one = await repositoryOf(server, home.credential, await newRepository(server, token));
});

interface Shape {
  readonly name: string;
  readonly document: object;
  readonly artifactType?: string;
  readonly subject?: string;
}

const platform = (architecture: string): object => ({ platform: { os: "linux", architecture } });

/** Pushes the blobs and manifests that the shapes refer to. */
async function groundOf(algorithm: Algorithm) {
  const layers = [randomBytes(3000), randomBytes(40_000)];
  for (const content of [...layers, "", "{}", CONFIG]) await one.blob(content, algorithm);
  const image = (more: object = {}): object => imageOf(CONFIG, layers, more, algorithm);
  const config = descriptorOf(CONFIG, "application/vnd.example.config", algorithm);
  const empty = descriptorOf("{}", "application/vnd.oci.empty.v1+json", algorithm);
  const images = [image({ annotations: { n: unique() } }), image({ annotations: { n: unique() } })];
  for (const child of images) await one.manifest(child, { algorithm });
  const index = indexOf(images, {}, algorithm);
  await one.manifest(index, { algorithm });
  const subject = descriptorOf(JSON.stringify(images[0]), OCI_MANIFEST, algorithm);
  const missing = descriptorOf(randomBytes(30), OCI_MANIFEST, algorithm);
  const foreign = {
    ...descriptorOf(randomBytes(9), "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip", algorithm),
    urls: ["https://example.com/layer"],
  };
  const docker = { ...image(), mediaType: DOCKER_MANIFEST };
  await one.manifest(docker, { algorithm });
  const list = {
    schemaVersion: 2,
    mediaType: DOCKER_LIST,
    manifests: [{ ...descriptorOf(JSON.stringify(docker), DOCKER_MANIFEST, algorithm), ...platform("amd64") }],
  };
  const artifact = {
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    artifactType: "application/vnd.example.sbom",
    config: empty,
    layers: [empty],
  };
  return { algorithm, image, images, index, config, empty, subject, missing, foreign, docker, list, artifact, layers };
}

/** Returns every shape of the conformance suite's data. */
function shapesOf(ground: Awaited<ReturnType<typeof groundOf>>): Shape[] {
  const { algorithm, image, images, index, config, empty, subject, missing, foreign, docker, list, artifact, layers } =
    ground;
  return [
    { name: "an image", document: image() },
    { name: "an image without mediaType", document: { ...image(), mediaType: undefined } },
    { name: "an image of another config", document: { ...image(), config }, artifactType: config.mediaType },
    { name: "Docker's image", document: { ...docker, extra: 1 } },
    { name: "Docker's list", document: list },
    { name: "an index", document: { ...index, extra: 1 } },
    { name: "an index of an index", document: indexOf([index, images[0] ?? {}], {}, algorithm) },
    { name: "an empty index", document: indexOf([], { annotations: { n: unique() } }, algorithm) },
    { name: "an image without layers", document: image({ layers: [] }) },
    {
      name: "an image with the same layer twice",
      document: imageOf(CONFIG, [layers[0] ?? "", layers[0] ?? ""], {}, algorithm),
    },
    { name: "an image with an empty layer", document: imageOf(CONFIG, [""], {}, algorithm) },
    { name: "foreign layers that are missing here", document: image({ layers: [foreign] }) },
    { name: "an artifact", document: artifact, artifactType: artifact.artifactType },
    {
      name: "an artifact of the draft specification",
      document: { mediaType: OCI_ARTIFACT, artifactType: "x/y", blobs: [empty] },
      artifactType: "x/y",
    },
    {
      name: "an artifact with an image as its subject",
      document: { ...artifact, subject },
      artifactType: artifact.artifactType,
      subject: subject.digest,
    },
    { name: "an image with an image as its subject", document: image({ subject }), subject: subject.digest },
    {
      name: "an index with an image as its subject",
      document: indexOf(images, { subject, artifactType: "x/index" }, algorithm),
      artifactType: "x/index",
      subject: subject.digest,
    },
    { name: "an image with a missing subject", document: image({ subject: missing }), subject: missing.digest },
    {
      name: "fields that nobody defines",
      document: image({ "org.example.extra": { list: [1, 2.5, null, true], text: 'a "b" \\ ü' } }),
    },
    {
      name: "data in a descriptor",
      document: image({ config: { ...descriptorOf("{}", "application/json", algorithm), data: "e30=" } }),
    },
  ];
}

async function served(reference: string, content: Buffer, type: string, digest: string): Promise<void> {
  for (const method of ["HEAD", "GET"]) {
    const answer = await one.call(method, `manifests/${reference}`, { headers: { accept: "application/json" } });
    assert.equal(answer.status, 200, reference);
    assert.equal(answer.headers["content-type"], type);
    assert.equal(answer.headers["content-length"], String(content.length));
    assert.equal(answer.headers["docker-content-digest"], digest);
    if (method === "GET") assert.ok(answer.content.equals(content), "the very bytes");
  }
}

async function referrers(
  digest: string,
  query = "",
): Promise<{ answer: RegistryAnswer; manifests: { digest: string; artifactType?: string }[] }> {
  const answer = await one.call("GET", `referrers/${digest}${query}`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], OCI_INDEX);
  return {
    answer,
    manifests: (JSON.parse(answer.content.toString()) as { manifests: { digest: string }[] }).manifests,
  };
}

for (const algorithm of ALGORITHMS) {
  test(`every form of manifest by ${algorithm}: by digest and by tag, byte for byte, deleted at once`, async () => {
    for (const { name, document, subject, artifactType } of shapesOf(await groundOf(algorithm))) {
      const content = Buffer.from(JSON.stringify(document));
      const type = (document as { mediaType?: string }).mediaType ?? OCI_MANIFEST;
      const digest = digestOf(content, algorithm);
      const put = await one.call("PUT", `manifests/${digest}`, {
        body: content,
        headers: { "content-type": `${type}; charset=x` },
      });
      assert.equal(put.status, 201, `${name}: ${put.content.toString()}`);
      assert.equal(put.headers["docker-content-digest"], digest, name);
      assert.equal(put.headers["oci-subject"], subject, name);
      await served(digest, content, type, digest);
      if (algorithm === "sha256") {
        const tag = unique();
        await one.manifest(content, { tag, type });
        await served(tag, content, type, digest);
        assert.equal((await one.call("DELETE", `manifests/${tag}`)).status, 202, name);
        assert.equal((await one.call("HEAD", `manifests/${tag}`)).status, 404, name);
        await served(digest, content, type, digest);
      }
      if (subject !== undefined) {
        const { manifests } = await referrers(subject);
        const found = manifests.find((one) => one.digest === digest);
        assert.ok(found, name);
        if (artifactType !== undefined) assert.equal(found.artifactType, artifactType, name);
      }
      assert.equal((await one.call("DELETE", `manifests/${digest}`)).status, 202, name);
      for (const method of ["HEAD", "GET", "DELETE"])
        assert.equal((await one.call(method, `manifests/${digest}`)).status, 404, name);
    }
  });
}

test("referrers are listed by their type, also of a missing subject", async () => {
  await one.blob("{}");
  const subject = descriptorOf(randomBytes(20), OCI_MANIFEST);
  assert.deepEqual((await referrers(subject.digest)).manifests, []);
  const empty = descriptorOf("{}", "application/vnd.oci.empty.v1+json");
  const about = (artifactType: string): object => ({
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    artifactType,
    config: empty,
    layers: [empty],
    subject,
    annotations: { n: unique() },
  });
  for (const type of ["x/signature", "x/sbom", "x/signature"]) await one.manifest(about(type));
  assert.equal((await referrers(subject.digest)).manifests.length, 3);
  const { answer, manifests } = await referrers(subject.digest, "?artifactType=x/signature");
  assert.equal(answer.headers["oci-filters-applied"], "artifactType");
  assert.deepEqual(
    manifests.map((one) => one.artifactType),
    ["x/signature", "x/signature"],
  );
  assert.deepEqual((await referrers(subject.digest, "?artifactType=x/none")).manifests, []);
  registryRefused(await one.call("GET", "referrers/sha256:nonsense"), 400, "DIGEST_INVALID");
});

test("many referrers are paged within the limits of clients", async () => {
  await one.blob("{}");
  const subject = descriptorOf(randomBytes(20), OCI_MANIFEST);
  const empty = descriptorOf("{}", "application/vnd.oci.empty.v1+json");
  const pushed = new Set<string>();
  for (let i = 0; i < 5; i++) {
    const annotations = { n: String(i), long: "x".repeat(1_000_000) };
    pushed.add(
      await one.manifest({
        schemaVersion: 2,
        mediaType: OCI_MANIFEST,
        artifactType: "x/y",
        config: empty,
        layers: [],
        subject,
        annotations,
      }),
    );
  }
  const seen: string[] = [];
  let query = "";
  let pages = 0;
  for (; pages < 10; pages++) {
    const { answer, manifests } = await referrers(subject.digest, query);
    assert.ok(answer.content.length <= 4 * 1024 * 1024, `${answer.content.length} bytes`);
    seen.push(...manifests.map(({ digest }) => digest));
    const next = /<[^?]*(\?[^>]*)>; rel="next"/.exec(String(answer.headers["link"] ?? ""))?.[1];
    if (next === undefined) break;
    query = next;
  }
  assert.ok(pages > 0, "more than one page");
  assert.deepEqual(seen.toSorted(), [...pushed].toSorted());
});

test("tags are listed in the order of their bytes, in pages", async () => {
  const { server, home, token } = shared;
  const own = await repositoryOf(server, home.credential, await newRepository(server, token));
  const list = async (query: string): Promise<{ tags: string[]; link: string | undefined }> => {
    const answer = await own.call("GET", `tags/list${query}`);
    assert.equal(answer.status, 200);
    const body = JSON.parse(answer.content.toString()) as { name: string; tags: string[] };
    assert.equal(body.name, own.name);
    return { tags: body.tags, link: answer.headers["link"] as string | undefined };
  };
  assert.deepEqual((await list("")).tags, []);
  const image = await own.image(["layer"]);
  const names = ["v10", "v9", "V1", "latest", "_x", "1.0", "a.b-c_d", "Z"];
  const content = (await own.call("GET", `manifests/${image}`)).content;
  for (const tag of names) await own.manifest(content, { tag, type: OCI_MANIFEST });
  const sorted = names.toSorted((a, b) => (a < b ? -1 : 1));
  assert.deepEqual((await list("")).tags, sorted);
  const first = await list("?n=3");
  assert.deepEqual(first.tags, sorted.slice(0, 3));
  assert.match(first.link ?? "", /^<\/v2\/orgs\/[a-z0-9-]+\/[^>]*tags\/list\?n=3&last=[^>]*>; rel="next"$/);
  assert.deepEqual((await list(`?n=3&last=${sorted[2]}`)).tags, sorted.slice(3, 6));
  assert.deepEqual((await list(`?last=${sorted[5]}`)).tags, sorted.slice(6));
  assert.equal((await list("?n=8")).link, undefined);
  assert.deepEqual(await list("?n=0"), { tags: [], link: undefined });
  assert.deepEqual((await list("?n=999999999999")).tags, sorted);
  for (const n of ["-1", "x", "1e9", "1.5", ""])
    assert.equal((await own.call("GET", `tags/list?n=${n}`)).status, 400, n);
});

test("a manifest gets several tags in one request", async () => {
  const { content } = await one.call("GET", `manifests/${await one.image(["several"])}`);
  const digest = digestOf(content);
  const tags = Array.from({ length: 12 }, () => unique());
  const query = tags.map((tag) => `tag=${tag}`).join("&");
  const answer = await one.call("PUT", `manifests/${digest}?${query}`, {
    body: content,
    headers: { "content-type": OCI_MANIFEST },
  });
  assert.equal(answer.status, 201);
  assert.deepEqual(String(answer.headers["oci-tag"]).split(", ").toSorted(), tags.toSorted());
  for (const tag of tags) await served(tag, content, OCI_MANIFEST, digest);
  const many = Array.from({ length: 101 }, () => `tag=${unique()}`).join("&");
  const put = (rest: string): Promise<RegistryAnswer> =>
    one.call("PUT", rest, { body: content, headers: { "content-type": OCI_MANIFEST } });
  registryRefused(await put(`manifests/${digest}?${many}`), 414, "UNSUPPORTED");
  registryRefused(await put(`manifests/${digest}?tag=ok&tag=.not`), 400, "MANIFEST_INVALID");
  assert.equal((await one.call("HEAD", "manifests/ok")).status, 404, "all of them or none");
  assert.equal((await one.call("DELETE", `manifests/${digest}`)).status, 202);
  for (const tag of tags) assert.equal((await one.call("HEAD", `manifests/${tag}`)).status, 404);
});

test("a tag moves, and its old image stays", async () => {
  const tag = unique();
  const first = await one.image(["first"], { tag });
  const second = await one.image(["second"], { tag });
  assert.equal((await one.call("HEAD", `manifests/${tag}`)).headers["docker-content-digest"], second);
  assert.equal((await one.call("HEAD", `manifests/${first}`)).status, 200);
});

test("images are a table for SQL, with the current rows of visible projects", async () => {
  const { server, token } = shared;
  const project = unique("project-");
  assert.equal((await server.call("POST", "/v1/projects", { token, json: { slug: project } })).status, 201);
  const [open, inside] = [await newRepository(server, token), await newRepository(server, token, { project })];
  const at = await repositoryOf(server, shared.home.credential, open);
  const layer = randomBytes(2000);
  const [first, second] = [await at.image([layer], { tag: "v1" }), await at.image([layer, "x"], { tag: "v2" })];
  await (await repositoryOf(server, shared.home.credential, inside)).image([layer], { tag: "v1" });
  const ask = async (as = token) => {
    const sql =
      "select repository, digest, tags, size_bytes from images where repository in ($open, $inside) order by 1, 2";
    return server.call<{ rows: { repository: string; digest: string; tags: string[]; size_bytes: number }[] }>(
      "POST",
      "/v1/query",
      {
        token: as,
        json: { sql, parameters: { open: open, inside } },
      },
    );
  };
  const tags = async (): Promise<unknown> => {
    const answer = await ask();
    assert.equal(answer.status, 200, answer.text);
    const rows = answer.body.rows.filter(({ repository }) => repository === open);
    return Object.fromEntries(rows.map((row) => [row.digest, row.tags]));
  };
  assert.deepEqual(await tags(), { [first]: ["v1"], [second]: ["v2"] });
  const size = (await ask()).body.rows.find(({ digest }) => digest === first)?.size_bytes;
  assert.equal(size, JSON.stringify(imageOf("{}", [layer])).length + 2002);
  await at.manifest(imageOf("{}", [layer]), { tag: "v2" });
  assert.deepEqual(await tags(), { [first]: ["v1", "v2"], [second]: [] }, "a tag that moved");
  assert.equal((await at.call("DELETE", `manifests/${second}`)).status, 202);
  assert.deepEqual(await tags(), { [first]: ["v1", "v2"] });
  const bound = await newClient(server, token, ["registry:pull", "telemetry:read"], project);
  const theirs = await ask(await server.token(bound));
  assert.deepEqual([...new Set(theirs.body.rows.map(({ repository }) => repository))], [inside], "its own project's");
  const reader = await newClient(server, token, ["telemetry:read"]);
  const refused = await ask(await server.token(reader));
  assert.equal(refused.status, 403, refused.text);
  assert.ok(refused.text.includes("registry:pull"), refused.text);
});

test("a manifest of 4 MiB is accepted, one byte more is refused, with and without its length", async () => {
  const bytesMax = 4 * 1024 * 1024;
  await one.blob(CONFIG);
  const filled = (bytes: number): Buffer => {
    const bare = JSON.stringify(imageOf(CONFIG, [], { annotations: { x: "" } }));
    return Buffer.from(bare.replace('"x":""', `"x":"${"y".repeat(bytes - bare.length)}"`));
  };
  for (const chunked of [false, true]) {
    const headers = { "content-type": OCI_MANIFEST };
    const [right, long] = [filled(bytesMax), filled(bytesMax + 1)];
    assert.equal(right.length, bytesMax);
    assert.equal(
      (await one.call("PUT", `manifests/${digestOf(right)}`, { body: right, headers, chunked })).status,
      201,
    );
    registryRefused(
      await one.call("PUT", `manifests/${digestOf(long)}`, { body: long, headers, chunked }),
      413,
      "SIZE_INVALID",
    );
  }
});

test("the parts of a manifest must be in the repository", async () => {
  const { server, home, token } = shared;
  const other = await repositoryOf(server, home.credential, await newRepository(server, token));
  const layer = randomBytes(1000);
  await other.blob(layer);
  await one.blob(CONFIG);
  const image = imageOf(CONFIG, [layer]);
  const content = JSON.stringify(image);
  const put = (document: object, name = "x"): Promise<RegistryAnswer> =>
    one.call("PUT", `manifests/${name}`, {
      body: JSON.stringify(document),
      headers: { "content-type": (document as { mediaType: string }).mediaType },
    });
  registryRefused(await put(image), 404, "MANIFEST_BLOB_UNKNOWN", digestOf(layer));
  registryRefused(await put(indexOf([image])), 404, "MANIFEST_BLOB_UNKNOWN", digestOf(content));
  assert.equal((await one.call("HEAD", "manifests/x")).status, 404);
  registryRefused(
    await put({ ...imageOf(CONFIG, []), config: { ...descriptorOf(CONFIG, "x/y"), size: 1 } }),
    400,
    "MANIFEST_INVALID",
    "bytes",
  );
});

test("a blob of a manifest can't be deleted before it", async () => {
  const layer = randomBytes(500);
  const image = await one.image([layer]);
  registryRefused(await one.call("DELETE", `blobs/${digestOf(layer)}`), 405, "UNSUPPORTED", "manifest");
  assert.equal((await one.call("DELETE", `manifests/${image}`)).status, 202);
  assert.equal((await one.call("DELETE", `blobs/${digestOf(layer)}`)).status, 202);
});

test("manifests that clients could read in two ways are refused", async () => {
  await one.blob(CONFIG);
  const image = JSON.stringify(imageOf(CONFIG, []));
  const index = JSON.stringify(indexOf([]));
  const bad: [string, string][] = [
    [image.replace("{", '{"manifests":[],'), OCI_MANIFEST],
    [index.replace("{", '{"layers":[],'), OCI_INDEX],
    [index.replace("{", '{"config":{},'), OCI_INDEX],
    [image, OCI_INDEX],
    [index, OCI_MANIFEST],
    [image.replace("{", '{"schemaVersion":2,'), OCI_MANIFEST],
    [image.replace('"layers"', '"l\\u0061yers":[],"layers"'), OCI_MANIFEST],
    [image.replace("{", '{"Manifests":[],'), OCI_MANIFEST],
    [image.replace("{", '{"LAYERS":[],'), OCI_MANIFEST],
    [image.replace('"schemaVersion":2', '"schemaVersion":1'), OCI_MANIFEST],
    ["[]", OCI_MANIFEST],
    ["null", OCI_MANIFEST],
    ['"x"', OCI_MANIFEST],
    ["{", OCI_MANIFEST],
    ["", OCI_MANIFEST],
    ["{}", OCI_MANIFEST],
    ["{}", OCI_INDEX],
    [`\uFEFF${image}`, OCI_MANIFEST],
    [image.replace("{", `{"deep":${"[".repeat(100)}${"]".repeat(100)},`), OCI_MANIFEST],
    [image.replace(/"size":\d+/, '"size":-1'), OCI_MANIFEST],
    [image.replace(/"size":\d+/, '"size":1.5'), OCI_MANIFEST],
    [image.replace(/"digest":"[^"]*"/, '"digest":"md5:abc"'), OCI_MANIFEST],
    [image.replace("{", '{"annotations":{"a":1},'), OCI_MANIFEST],
    [image.replace("{", '{"subject":"x",'), OCI_MANIFEST],
    [image, "application/vnd.docker.distribution.manifest.v1+prettyjws"],
    [image, "text/html"],
    [
      JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests: Array.from({ length: 10_001 }, () => ({})) }),
      OCI_INDEX,
    ],
  ];
  for (const [body, type] of bad)
    registryRefused(
      await one.call("PUT", "manifests/bad", { body, headers: { "content-type": type } }),
      400,
      "MANIFEST_INVALID",
    );
  const bytes = Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  registryRefused(
    await one.call("PUT", "manifests/bad", { body: bytes, headers: { "content-type": OCI_MANIFEST } }),
    400,
    "MANIFEST_INVALID",
  );
  assert.equal((await one.call("HEAD", "manifests/bad")).status, 404);
});

test("names of tags and digests", async () => {
  const { content } = await one.call("GET", `manifests/${await one.image(["names"])}`);
  const put = (reference: string): Promise<RegistryAnswer> =>
    one.call("PUT", `manifests/${reference}`, { body: content, headers: { "content-type": OCI_MANIFEST } });
  for (const tag of ["a", "A".repeat(128), "_", "1", "Aa", "aA", "x..y"])
    assert.equal((await put(tag)).status, 201, tag);
  for (const tag of [".a", "-a", "a".repeat(129), "a%2fb", "a%20b", "ü", "a%00"])
    assert.ok([400, 404].includes((await put(encodeURI(tag))).status), tag);
  assert.equal((await one.call("HEAD", "manifests/AA")).status, 404, "tags are case-sensitive");
  registryRefused(await put(digestOf("another")), 400, "DIGEST_INVALID");
  for (const bad of ["sha256:abc", `SHA256:${digestOf("x").slice(7)}`, "sha384:00"]) {
    registryRefused(await one.call("GET", `manifests/${bad}`), 400, "DIGEST_INVALID");
    registryRefused(await one.call("DELETE", `manifests/${bad}`), 400, "DIGEST_INVALID");
  }
  registryRefused(await one.call("GET", "manifests/absent"), 404, "MANIFEST_UNKNOWN");
  registryRefused(await one.call("GET", `manifests/${digestOf("absent")}`), 404, "MANIFEST_UNKNOWN");
});

test("conditional requests", async () => {
  const tag = unique();
  await one.image(["conditional"], { tag });
  const { etag } = (await one.call("HEAD", `manifests/${tag}`)).headers;
  assert.equal((await one.call("GET", `manifests/${tag}`, { headers: { "if-none-match": String(etag) } })).status, 304);
  assert.equal((await one.call("GET", `manifests/${tag}`, { headers: { "if-none-match": '"other"' } })).status, 200);
});

test("a manifest of an index can't be deleted before it", async () => {
  const layers = [randomBytes(100)];
  const child = await one.image(layers);
  const { content } = await one.call("GET", `manifests/${child}`);
  const index = await one.manifest(indexOf([JSON.parse(content.toString()) as object]));
  registryRefused(await one.call("DELETE", `manifests/${child}`), 405, "UNSUPPORTED", "index");
  assert.equal((await one.call("DELETE", `manifests/${index}`)).status, 202);
  assert.equal((await one.call("DELETE", `manifests/${child}`)).status, 202);
});
