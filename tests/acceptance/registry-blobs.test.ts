/** Blobs of container images: every kind of upload, ranges, mounts, refusals; with sha256 and sha512. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import {
  digestOf,
  newClient,
  newRepository,
  registryRefused,
  registryToken,
  repositoryOf,
  repositoryWith,
  send,
  type Algorithm,
  type RegistryAnswer,
  type RepositoryClient,
} from "../fixtures/registry.ts";
import { useSharedServer } from "../fixtures/server.ts";

let one: RepositoryClient;
let two: RepositoryClient;
let names: readonly [string, string];
const shared = useSharedServer(async ({ server, home, token }) => {
  names = [await newRepository(server, token), await newRepository(server, token)];
  [one, two] = [
    await repositoryOf(server, home.credential, names[0]),
    await repositoryOf(server, home.credential, names[1]),
  ];
});

/** Returns the path of an upload, within its repository. */
function restOf(answer: RegistryAnswer): string {
  const location = answer.headers.location ?? "";
  assert.match(location, /^\/v2\/orgs\/[a-z0-9-]+\/[a-z0-9-]+\/blobs\/uploads\/[^/]+$/);
  return location.split("/").slice(5).join("/");
}

async function begun(repository = one, query = ""): Promise<string> {
  const answer = await repository.call("POST", `blobs/uploads/${query}`);
  assert.equal(answer.status, 202);
  assert.equal(answer.headers.range, "0-0");
  return restOf(answer);
}

async function patched(at: string, body: Uint8Array, range?: string): Promise<RegistryAnswer> {
  const headers = {
    "content-type": "application/octet-stream",
    ...(range === undefined ? {} : { "content-range": range }),
  };
  return one.call("PATCH", at, { body, headers });
}

function closing(at: string, digest: string): string {
  return `${at}?digest=${encodeURIComponent(digest)}`;
}

async function isThere(digest: string, content: Uint8Array, repository = one): Promise<void> {
  const head = await repository.call("HEAD", `blobs/${digest}`);
  assert.equal(head.status, 200);
  assert.equal(head.headers["content-length"], String(content.length));
  assert.equal(head.headers["docker-content-digest"], digest);
  const answer = await repository.call("GET", `blobs/${digest}`);
  assert.equal(answer.status, 200);
  assert.ok(answer.content.equals(content), "the very bytes");
  assert.equal(answer.headers["content-type"], "application/octet-stream");
  assert.equal(answer.headers["content-length"], String(content.length));
  assert.equal(answer.headers["docker-content-digest"], digest);
  assert.equal(answer.headers["x-content-type-options"], "nosniff");
  assert.match(String(answer.headers["content-security-policy"]), /sandbox/);
}

async function created(answer: RegistryAnswer, digest: string): Promise<void> {
  assert.equal(answer.status, 201, answer.content.toString());
  assert.equal(answer.headers["docker-content-digest"], digest);
  const { status } = await send(shared.server.origin, "GET", answer.headers.location ?? "", { auth: one.auth });
  assert.equal(status, 200, "its location is its address");
}

for (const algorithm of ["sha256", "sha512"] as const) {
  describe(`a blob by ${algorithm}`, () => {
    const SIZES = [0, 2, 1000, 32_769, 3_000_000];
    const contents = SIZES.map((size) => randomBytes(size));
    const digest = (content: Uint8Array): string => digestOf(content, algorithm);

    test("is uploaded in one POST", async () => {
      for (const content of contents) {
        const answer = await one.call("POST", `blobs/uploads/?digest=${digest(content)}`, { body: content });
        await created(answer, digest(content));
        await isThere(digest(content), content);
      }
    });

    test("is uploaded by POST and PUT, with and without its length", async () => {
      for (const chunked of [false, true]) {
        const content = randomBytes(200_000);
        const at = await begun();
        await created(await one.call("PUT", closing(at, digest(content)), { body: content, chunked }), digest(content));
        await isThere(digest(content), content);
      }
    });

    test("is uploaded in chunks, the last of them in the PUT or before it", async () => {
      for (const lastInPut of [false, true]) {
        const content = randomBytes(100_000);
        let at = await begun(one, `?digest-algorithm=${algorithm}`);
        const cuts = [0, 40_000, 70_000, 100_000];
        const inPatches = lastInPut ? 2 : 3;
        for (let i = 0; i < inPatches; i++) {
          const [from = 0, to = 0] = cuts.slice(i);
          const answer = await patched(at, content.subarray(from, to), `${from}-${to - 1}`);
          assert.equal(answer.status, 202, answer.content.toString());
          assert.equal(answer.headers.range, `0-${to - 1}`);
          at = restOf(answer);
        }
        const last = lastInPut ? { body: content.subarray(70_000), headers: { "content-range": "70000-99999" } } : {};
        await created(await one.call("PUT", closing(at, digest(content)), last), digest(content));
        await isThere(digest(content), content);
      }
    });

    test("is uploaded as a stream of unknown length", async () => {
      const content = randomBytes(1_500_000);
      const at = await begun();
      const answer = await one.call("PATCH", at, { body: content, chunked: true });
      assert.equal(answer.status, 202);
      await created(await one.call("PUT", closing(restOf(answer), digest(content))), digest(content));
      await isThere(digest(content), content);
    });

    test("continues after a chunk with the wrong offset, which changes nothing", async () => {
      const content = randomBytes(60_000);
      const at = await begun();
      assert.equal((await patched(at, content.subarray(0, 20_000), "0-19999")).status, 202);
      const ahead = { body: content.subarray(40_000), headers: { "content-range": "40000-59999" } };
      for (const [method, rest] of [
        ["PATCH", at],
        ["PUT", closing(at, digest(content))],
      ] as const) {
        const answer = await one.call(method, rest, ahead);
        assert.equal(answer.status, 416);
        assert.equal(answer.headers.range, "0-19999");
        assert.equal(restOf(answer), at);
      }
      const where = await one.call("GET", at);
      assert.equal(where.status, 204);
      assert.equal(where.headers.range, "0-19999");
      assert.equal((await patched(at, content.subarray(20_000), "20000-59999")).status, 202);
      await created(await one.call("PUT", closing(at, digest(content))), digest(content));
      await isThere(digest(content), content);
    });

    test("is mounted, with its source named or not; an unknown one begins an upload", async () => {
      const both = [`repository:${names[1]}:pull,push`, `repository:${names[0]}:pull`];
      const { server, home } = shared;
      const mounter = repositoryWith(server, names[1], await registryToken(server.origin, both, home.credential));
      for (const from of [`&from=${names[0]}`, ""]) {
        const content = randomBytes(50_000);
        await one.blob(content, algorithm);
        assert.equal((await two.call("HEAD", `blobs/${digest(content)}`)).status, 404);
        const narrow = await two.call("POST", `blobs/uploads/?mount=${digest(content)}${from}`);
        assert.equal(narrow.status, from === "" ? 202 : 401, "the token is for the target only");
        const answer = await mounter.call("POST", `blobs/uploads/?mount=${digest(content)}${from}`);
        assert.equal(answer.status, 201);
        assert.equal(answer.headers["docker-content-digest"], digest(content));
        await isThere(digest(content), content, two);
      }
      const absent = digest(randomBytes(10));
      const none = `orgs/${shared.home.org.slug}/no-such-app`;
      const more = [...both, `repository:${none}:pull`];
      const asked = repositoryWith(server, names[1], await registryToken(server.origin, more, home.credential));
      for (const from of [`&from=${names[0]}`, "", `&from=${none}`]) {
        const answer = await asked.call("POST", `blobs/uploads/?mount=${absent}${from}`);
        assert.equal(answer.status, 202);
        restOf(answer);
      }
    });

    test("with another digest than its content is never stored", async () => {
      const content = randomBytes(5000);
      const wrong = digest(randomBytes(3));
      const refusedAs = async (answer: RegistryAnswer): Promise<void> => registryRefused(answer, 400, "DIGEST_INVALID");
      await refusedAs(await one.call("POST", `blobs/uploads/?digest=${wrong}`, { body: content }));
      await refusedAs(await one.call("PUT", closing(await begun(), wrong), { body: content }));
      const chunked = await begun();
      assert.equal((await patched(chunked, content.subarray(0, 3000), "0-2999")).status, 202);
      await refusedAs(await one.call("PUT", closing(chunked, wrong), { body: content.subarray(3000) }));
      const streamed = await begun();
      assert.equal((await one.call("PATCH", streamed, { body: content, chunked: true })).status, 202);
      await refusedAs(await one.call("PUT", closing(streamed, wrong)));
      for (const [method, rest] of [
        ["GET", `blobs/${wrong}`],
        ["HEAD", `blobs/${digest(content)}`],
      ] as const)
        assert.equal((await one.call(method, rest)).status, 404);
    });
  });
}

test("ranges of a blob", async () => {
  const content = randomBytes(1000);
  const at = `blobs/${await one.blob(content)}`;
  const ranges: [string, number, number][] = [
    ["bytes=0-99", 0, 100],
    ["bytes=500-", 500, 1000],
    ["bytes=-300", 700, 1000],
    ["bytes=-5000", 0, 1000],
    ["bytes=900-5000", 900, 1000],
    ["bytes=999-999", 999, 1000],
  ];
  for (const [range, start, end] of ranges) {
    const answer = await one.call("GET", at, { headers: { range } });
    assert.equal(answer.status, 206, range);
    assert.equal(answer.headers["content-range"], `bytes ${start}-${end - 1}/1000`);
    assert.ok(answer.content.equals(content.subarray(start, end)), range);
  }
  for (const range of ["bytes=1000-", "bytes=500-0", "bytes=-0"]) {
    const answer = await one.call("GET", at, { headers: { range } });
    assert.equal(answer.status, 416, range);
    assert.equal(answer.headers["content-range"], "bytes */1000");
  }
  for (const range of ["bytes=0-1,5-9", "lines=1-2", "bytes=a-b"])
    assert.equal((await one.call("GET", at, { headers: { range } })).status, 200);
  const { etag } = (await one.call("HEAD", at)).headers;
  assert.equal((await one.call("GET", at, { headers: { "if-none-match": String(etag) } })).status, 304);
  assert.equal((await one.call("GET", at, { headers: { range: "bytes=0-9", "if-range": '"other"' } })).status, 200);
});

test("an aborted upload is deleted, also one without content", async () => {
  for (const content of [undefined, randomBytes(40_000)]) {
    const at = await begun();
    if (content !== undefined) assert.equal((await patched(at, content)).status, 202);
    assert.equal((await one.call("DELETE", at)).status, 204);
    const digest = digestOf(content ?? "");
    for (const answer of [
      await one.call("GET", at),
      await patched(at, randomBytes(5)),
      await one.call("PUT", closing(at, digest), { body: "x" }),
      await one.call("DELETE", at),
    ])
      registryRefused(answer, 404, "BLOB_UPLOAD_UNKNOWN");
  }
});

test("a closing request whose answer was lost may be repeated", async () => {
  const content = randomBytes(70_000);
  const digest = digestOf(content);
  const at = await begun();
  assert.equal((await patched(at, content)).status, 202);
  for (let i = 0; i < 3; i++) await created(await one.call("PUT", closing(at, digest)), digest);
  registryRefused(await one.call("PUT", closing(at, digestOf("other"))), 404, "BLOB_UPLOAD_UNKNOWN");
});

test("a chunk whose length differs from its range is refused", async () => {
  const at = await begun();
  registryRefused(await patched(at, randomBytes(10), "0-99"), 400, "SIZE_INVALID");
  for (const range of ["5-2", "a-b", "0-", "0-9/10"])
    registryRefused(await patched(at, randomBytes(10), range), 400, "BLOB_UPLOAD_INVALID");
});

test("digests in other forms are refused", async () => {
  const hex = digestOf("x").slice(7);
  for (const bad of [
    `sha256:${hex.toUpperCase()}`,
    `sha256:${hex.slice(1)}`,
    `sha512:${hex}`,
    `md5:${hex.slice(32)}`,
    "sha256:baddigeststring",
    "sha256:",
    hex,
    `sha256:${hex}0`,
  ]) {
    registryRefused(await one.call("GET", `blobs/${bad}`), 400, "DIGEST_INVALID");
    registryRefused(await one.call("POST", `blobs/uploads/?digest=${bad}`, { body: "x" }), 400, "DIGEST_INVALID");
    registryRefused(await one.call("PUT", closing(await begun(), bad), { body: "x" }), 400, "DIGEST_INVALID");
    registryRefused(await one.call("DELETE", `blobs/${bad}`), 400, "DIGEST_INVALID");
  }
  registryRefused(await one.call("POST", "blobs/uploads/?digest-algorithm=md5"), 400, "DIGEST_INVALID");
});

test("an upload belongs to its client and its repository only", async () => {
  const { server, token } = shared;
  const other = await repositoryOf(
    server,
    await newClient(server, token, ["registry:pull", "registry:push"]),
    names[0],
    "pull,push",
  );
  const content = randomBytes(1000);
  const at = await begun();
  assert.equal((await patched(at, content)).status, 202);
  const session = at.slice("blobs/uploads/".length);
  const forged = [
    `${session.slice(0, -1)}${session.endsWith("A") ? "B" : "A"}`,
    session.replace("sha256", "sha512"),
    "upl_0",
    "%2e%2e",
    "x".repeat(300),
  ];
  for (const repository of [other, two]) registryRefused(await repository.call("GET", at), 404, "BLOB_UPLOAD_UNKNOWN");
  for (const text of forged) {
    registryRefused(await one.call("GET", `blobs/uploads/${text}`), 404, "BLOB_UPLOAD_UNKNOWN");
    registryRefused(
      await one.call("PUT", closing(`blobs/uploads/${text}`, digestOf("")), {}),
      404,
      "BLOB_UPLOAD_UNKNOWN",
    );
  }
  assert.equal((await one.call("GET", at)).headers.range, "0-999");
});

test("a blob is deleted from its repository only", async () => {
  const content = randomBytes(40_000);
  const digest = await one.blob(content);
  await two.blob(content);
  assert.equal((await one.call("DELETE", `blobs/${digest}`)).status, 202);
  await isThere(digest, content, two);
  for (const method of ["GET", "HEAD", "DELETE"])
    assert.equal((await one.call(method, `blobs/${digest}`)).status, 404, method);
  await one.blob(content);
  await isThere(digest, content);
});

test("the same content with both algorithms is two blobs of one content", async () => {
  const content = randomBytes(60_000);
  const digests = await Promise.all(
    (["sha256", "sha512"] as const).map((algorithm: Algorithm) => one.blob(content, algorithm)),
  );
  for (const digest of digests) await isThere(digest, content);
  assert.equal((await one.call("DELETE", `blobs/${digests[0]}`)).status, 202);
  await isThere(String(digests[1]), content);
});
