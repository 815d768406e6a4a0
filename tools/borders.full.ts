import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { RULES } from "./borders/rules.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** One planted violation for every rule: its place, and the line that breaks the rule. */
const PLANTED: Readonly<Record<string, { readonly path: string; readonly code: string }>> = {
  "no-circular": { path: "server/src/kernel/a.ts", code: 'import type { b } from "./b.ts";' },
  "not-resolvable": { path: "server/src/kernel/a.ts", code: 'import "./absent.ts";' },
  "contract-imports-typebox-and-addresses": { path: "contract/src/a.ts", code: 'import "node:fs";' },
  "client-imports-nothing-but-contract": { path: "client/src/a.ts", code: 'import "node:fs";' },
  "people-sign-in-is-confined": { path: "server/src/http/a.ts", code: 'import "otpauth";' },
  "portal-imports-client-and-contract": { path: "portal/src/kit/a.ts", code: 'import "node:fs";' },
  "portal-below-knows-no-pages": { path: "portal/src/kit/a.tsx", code: 'import "~/pages/one/page.tsx";' },
  "portal-pages-are-islands": { path: "portal/src/pages/two/a.tsx", code: 'import "~/pages/one/page.tsx";' },
  "portal-loads-editor-late": { path: "portal/src/kit/a.ts", code: 'import "@codemirror/view";' },
  "nobody-imports-the-portal": { path: "server/src/app/a.ts", code: 'import "../../../portal/src/kit/b.ts";' },
  "client-is-confined": { path: "server/src/domain/one/a.ts", code: 'import "@mooring/client";' },
  "kernel-imports-only-lower-layers": { path: "server/src/kernel/a.ts", code: 'import "#stores/one/index.ts";' },
  "stores-imports-only-lower-layers": { path: "server/src/stores/one/a.ts", code: 'import "#domain/one/index.ts";' },
  "domain-imports-only-lower-layers": { path: "server/src/domain/one/a.ts", code: 'import "#http/index.ts";' },
  "http-imports-only-lower-layers": { path: "server/src/http/a.ts", code: 'import "#stores/one/index.ts";' },
  "surfaces-imports-only-lower-layers": { path: "server/src/surfaces/one/a.ts", code: 'import "#app/index.ts";' },
  "kernel-has-no-third-party": { path: "server/src/kernel/a.ts", code: 'import "jose";' },
  "stores-know-no-contract": { path: "server/src/stores/one/a.ts", code: 'import "@mooring/contract";' },
  "surfaces-are-islands": {
    path: "server/src/surfaces/one/a.ts",
    code: 'import type { S } from "#surfaces/two/index.ts";',
  },
  "folders-are-entered-by-their-index": {
    path: "server/src/domain/one/a.ts",
    code: 'import "#stores/one/inner.ts";',
  },
  "http-is-entered-by-its-index": { path: "server/src/surfaces/one/a.ts", code: 'import "#http/inner.ts";' },
  "product-knows-no-tests-and-tools": {
    path: "server/src/main.ts",
    code: 'import "../../tests/fixtures/a.ts";',
  },
  "acceptance-tests-are-black-box": {
    path: "tests/acceptance/a.test.ts",
    code: 'import "../../server/src/kernel/b.ts";',
  },
  "kysely-is-confined": { path: "server/src/domain/one/a.ts", code: 'import type { Kysely } from "kysely";' },
  "database-drivers-is-confined": {
    path: "server/src/domain/one/a.ts",
    code: 'import { DatabaseSync } from "node:sqlite";',
  },
  "jose-is-confined": { path: "server/src/http/a.ts", code: 'import "jose";' },
  "fastify-is-confined": {
    path: "server/src/surfaces/one/a.ts",
    code: 'import type { FastifyRequest } from "fastify";',
  },
  "logging-is-confined": { path: "server/src/stores/one/a.ts", code: 'import "pino";' },
  "typebox-is-confined": { path: "server/src/domain/one/a.ts", code: 'import "typebox";' },
  "mail-is-confined": { path: "server/src/domain/one/a.ts", code: 'import "nodemailer";' },
  "xml-is-confined": { path: "server/src/surfaces/one/a.ts", code: 'import "@rgrove/parse-xml";' },
  "addresses-is-confined": { path: "server/src/domain/one/a.ts", code: 'import "ipaddr.js";' },
};

const FILES = [
  "client/src/index.ts",
  "contract/src/index.ts",
  "portal/src/kit/b.ts",
  "portal/src/pages/one/page.tsx",
  "server/src/app/index.ts",
  "server/src/stores/one/index.ts",
  "server/src/stores/one/inner.ts",
  "server/src/domain/one/index.ts",
  "server/src/http/index.ts",
  "server/src/http/inner.ts",
  "server/src/surfaces/one/index.ts",
  "server/src/surfaces/two/index.ts",
  "tests/fixtures/a.ts",
];

let clean: string;

before(() => {
  clean = mkdtempSync(join(tmpdir(), "mooring-borders-"));
  for (const path of FILES) write(clean, path, "export type S = 1;\n");
  write(clean, "server/src/kernel/b.ts", 'import "./a.ts";\nexport const b = 1;\n');
  write(clean, "server/src/kernel/a.ts", "export const a = 1;\n");
  for (const folder of ["server", "contract", "client"])
    cpSync(join(ROOT, folder, "package.json"), join(clean, folder, "package.json"));
  linkPackages();
});

/** Links every installed package, and the workspaces of the planted tree instead of ours. */
function linkPackages(): void {
  const modules = join(clean, "node_modules");
  mkdirSync(join(modules, "@mooring"), { recursive: true });
  for (const name of ["client", "contract"]) symlinkSync(`../../${name}`, join(modules, "@mooring", name));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name !== "@mooring" && !name.startsWith("."))
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
}

after(() => rmSync(clean, { recursive: true }));

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function check(root: string): { readonly status: number | null; readonly output: string } {
  const result = spawnSync(process.execPath, [join(ROOT, "tools/borders.ts")], { cwd: root, encoding: "utf8" });
  return { status: result.status, output: result.stdout + result.stderr };
}

test("a tree without violations passes, and every module is read", () => {
  const { status, output } = check(clean);
  assert.match(output, /^15 of 15 modules read, 0 violations$/m);
  assert.equal(status, 0);
});

test("every rule has a planted violation", () => {
  assert.deepEqual(Object.keys(PLANTED).sort(), RULES.map((rule) => String(rule.name)).sort());
});

for (const [rule, { path, code }] of Object.entries(PLANTED)) {
  test(`${rule} is caught`, () => {
    const root = mkdtempSync(join(tmpdir(), "mooring-borders-"));
    execFileSync("cp", ["-RP", `${clean}/.`, root]);
    write(root, path, `${code}\nexport const a = 1;\n`);
    const { status, output } = check(root);
    rmSync(root, { recursive: true });
    assert.match(output, new RegExp(`^${rule}: `, "m"));
    assert.equal(status, 1);
  });
}

test("a test may use a helper for tests, but the product may not", () => {
  const root = mkdtempSync(join(tmpdir(), "mooring-borders-"));
  execFileSync("cp", ["-RP", `${clean}/.`, root]);
  write(root, "server/src/http/testing/host.ts", "export const host = 1;\n");
  write(root, "server/src/surfaces/one/a.test.ts", 'import "#http/testing/host.ts";\n');
  assert.equal(check(root).status, 0);
  write(root, "server/src/surfaces/one/b.ts", 'import "#http/testing/host.ts";\n');
  const { output } = check(root);
  rmSync(root, { recursive: true });
  assert.match(output, /^product-knows-no-tests-and-tools: server\/src\/surfaces\/one\/b\.ts -> /m);
});

test("a file with `using` is read to its end", () => {
  const root = mkdtempSync(join(tmpdir(), "mooring-borders-"));
  execFileSync("cp", ["-RP", `${clean}/.`, root]);
  write(root, "server/src/kernel/a.ts", 'using x = await import("./absent.ts");\nexport const a = x;\n');
  const { output } = check(root);
  rmSync(root, { recursive: true });
  assert.match(output, /^not-resolvable: server\/src\/kernel\/a\.ts -> \.\/absent\.ts$/m);
});

test("a tree without source files fails", () => {
  const root = mkdtempSync(join(tmpdir(), "mooring-borders-"));
  const { status, output } = check(root);
  rmSync(root, { recursive: true });
  assert.match(output, /cannot check borders/);
  assert.equal(status, 1);
});
