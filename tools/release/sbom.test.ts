import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Lock } from "../lock/lock.ts";
import { installedPaths, npmComponents, npmSubject, sbomJson } from "./sbom.ts";

const lock = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8")) as Lock;
const AT_MS = Date.UTC(2026, 0, 2);

const documentOf = (names: readonly string[]): string =>
  sbomJson({
    subject: npmSubject("mooring", "1.2.3", "application"),
    components: npmComponents(lock, installedPaths(lock, names)),
    atMs: AT_MS,
  });

interface Document {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string; readonly component: Record<string, unknown> };
  readonly components: readonly Record<string, unknown>[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

test("a package, its dependencies and those for other platforms are components with digest and licence", () => {
  const document = JSON.parse(documentOf(["@duckdb/node-api"])) as Document;
  const { version = "", integrity = "" } = lock.packages["node_modules/@duckdb/node-api"] ?? {};
  const purl = `pkg:npm/%40duckdb/node-api@${version}`;
  assert.deepEqual(
    document.components.find(({ name }) => name === "@duckdb/node-api"),
    {
      type: "library",
      "bom-ref": purl,
      name: "@duckdb/node-api",
      version,
      purl,
      scope: "required",
      licenses: [{ expression: "MIT" }],
      hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice(7), "base64").toString("hex") }],
    },
  );
  const bindings = document.components.filter(({ name }) => String(name).startsWith("@duckdb/node-bindings-"));
  assert.ok(bindings.length >= 4, JSON.stringify(bindings));
  for (const { scope } of bindings) assert.equal(scope, "optional");
});

test("the document has the form of CycloneDX 1.5: unique references, which its dependencies name", () => {
  const document = JSON.parse(documentOf(["fastify", "react-dom"])) as Document;
  assert.match(document.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(document.metadata.timestamp, "2026-01-02T00:00:00.000Z");
  assert.equal(document.metadata.component["purl"], "pkg:npm/mooring@1.2.3");
  const refs = document.components.map((each) => String(each["bom-ref"]));
  assert.ok(refs.length > 20);
  assert.equal(new Set(refs).size, refs.length);
  assert.deepEqual(refs, refs.toSorted());
  assert.deepEqual(
    document.dependencies.map(({ ref }) => ref),
    ["pkg:npm/mooring@1.2.3", ...refs],
  );
});

test("equal contents give equal bytes in any order", () => {
  assert.equal(documentOf(["fastify", "react-dom"]), documentOf(["react-dom", "fastify"]));
  assert.notEqual(documentOf(["fastify"]), documentOf(["react-dom"]));
});

test("a package that the lock file lacks is an error that names it", () => {
  assert.throws(() => documentOf(["no-such-package"]), /no entry for no-such-package/);
  assert.throws(() => npmComponents(lock, ["node_modules/no-such-package"]), /no entry node_modules\/no-such-package/);
});
