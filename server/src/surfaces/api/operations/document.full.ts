import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { apiDocument } from "../document.ts";
import { createApiSurface } from "../index.ts";

const ONE = "https://mooring.example";
const ADDRESSES = { identity_url: ONE, ingest_url: ONE, query_url: ONE, storage_url: ONE, portal_url: ONE };

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, { readonly servers?: readonly { readonly url: string }[] }>>;
  readonly components: { readonly securitySchemes: object };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
}

let world: World;
before(async () => {
  world = await createWorld({
    isShared: true,
    surfaces: ({ host }) => [
      createApiSurface({ host, addresses: { ...ADDRESSES, storage_url: "https://files.example" } }),
    ],
  });
});
after(() => world.close());

async function read(headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${world.origin}/openapi.json`, { headers });
}

test("the document is public, cached and compressed, and its entity tag saves the body", async () => {
  const plain = await read({ "accept-encoding": "identity" });
  assert.equal(plain.status, 200);
  assert.match(plain.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(plain.headers.get("cache-control"), "public, max-age=300");
  assert.equal(plain.headers.get("vary"), "accept-encoding");
  const packed = await read({ "accept-encoding": "gzip" });
  assert.equal(packed.headers.get("content-encoding"), "gzip");
  assert.deepEqual(await packed.json(), await plain.json());
  const [tag, packedTag] = [plain.headers.get("etag") ?? "", packed.headers.get("etag") ?? ""];
  assert.match(tag, /^"[0-9a-f]{32}"$/);
  assert.notEqual(tag, packedTag);
  for (const named of [packedTag, `W/${packedTag}`, `"other", ${packedTag}`, "*"]) {
    const again = await read({ "accept-encoding": "gzip", "if-none-match": named });
    assert.equal(again.status, 304, named);
    assert.equal(await again.text(), "");
    assert.equal(again.headers.get("etag"), packedTag);
  }
  assert.equal((await read({ "accept-encoding": "gzip", "if-none-match": tag })).status, 200);
});

test("the document has no parameter", async () => {
  assert.equal((await fetch(`${world.origin}/openapi.json?x=1`)).status, 400);
});

test("a path of a service with another address has its own server", async () => {
  const { servers, paths, components } = (await (await read()).json()) as Document;
  assert.deepEqual(servers, [{ url: ONE }]);
  assert.deepEqual(paths["/v1/files"]?.servers, [{ url: "https://files.example" }]);
  assert.equal(paths["/v1/me"]?.servers, undefined);
  assert.match(JSON.stringify(components.securitySchemes), /https:\/\/mooring\.example\/oauth\/token/);
});

test("the document is valid OpenAPI 3.1, and so is each document of openapi/", async () => {
  const documents: Record<string, unknown>[] = [{ ...apiDocument(ADDRESSES) }];
  for (const name of readdirSync("openapi").filter((each) => each.endsWith(".json")))
    documents.push(JSON.parse(readFileSync(`openapi/${name}`, "utf8")) as Record<string, unknown>);
  assert.ok(documents.length > 10);
  for (const document of documents) {
    const validator = new Validator();
    const result = await validator.validate(document);
    assert.equal(result.valid, true, JSON.stringify(result).slice(0, 2000));
    assert.equal(validator.version, "3.1");
  }
  const broken = await new Validator().validate({ ...documents[0], paths: { "/x": { get: { responses: 1 } } } });
  assert.equal(broken.valid, false, "the validator accepts an invalid document");
});

test("the document is the sum of the documents of openapi/, each operation once, each tag described", () => {
  const { paths, tags } = apiDocument(ADDRESSES) as Document;
  const operations = operationsOf(paths);
  const ids = operations.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length);
  const parts = readdirSync("openapi")
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(`openapi/${name}`, "utf8")) as Document);
  const partIds = parts.flatMap((part) => operationsOf(part.paths).map(({ operationId }) => operationId));
  assert.deepEqual(ids.toSorted(), partIds.toSorted());
  const used = new Set(operations.flatMap((operation) => operation.tags));
  assert.deepEqual(tags.map(({ name }) => name).toSorted(), [...used].toSorted());
  for (const { name, description } of tags) assert.match(description, /\.$/, name);
});

function operationsOf(paths: Document["paths"]): readonly Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item) as unknown as Operation[]);
}
