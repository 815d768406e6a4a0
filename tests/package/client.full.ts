/** The package `@mooring/client`, installed from its tarball in an empty folder: its types, in Node, and in a browser. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { emptyFolder, packages } from "../fixtures/package.ts";
import { NO_CHROMIUM, usePortal } from "../portal/browser.ts";

const portal = usePortal();
const folder = emptyFolder();
const MODULES = join(folder.path, "node_modules");

before(() => {
  const { status, stderr } = folder.install([packages().client]);
  assert.equal(status, 0, stderr);
});
after(() => folder.remove());

/** Calls that need a token, an input, an iterator of pages and an error. The types hold in TypeScript. */
const PROGRAM = `
import { ApiError, clientCredentials, createClient, discover, CLIENT_VERSION } from "@mooring/client";
import { ORGANIZATION_ROUTES, QUERY_ROUTES, TELEMETRY_ROUTES } from "@mooring/client/contract";

export async function calls(url: string, clientId: string, clientSecret: string): Promise<string> {
  const addresses = await discover(url);
  const tokens = clientCredentials(addresses, { clientId, clientSecret }, Date.now);
  const client = createClient({ addresses, tokens });
  const message = crypto.randomUUID();
  const entry = { timestamp: new Date().toISOString(), level: "info" as const, message };
  const { accepted } = await client.call(TELEMETRY_ROUTES.ingest, { params: { type: "logs" }, body: { entries: [entry] } });
  const { rows } = await client.call(QUERY_ROUTES.query, { body: { sql: "SELECT message FROM logs WHERE message = '" + message + "'" } });
  const found = Array.isArray(rows) && JSON.stringify(rows).includes(message);
  const slugs: string[] = [];
  for await (const project of client.items(ORGANIZATION_ROUTES.listProjects, {})) slugs.push(project.slug);
  const refused = await client.call(QUERY_ROUTES.query, { body: { sql: "SELEC 1" } }).then(
    () => "no error",
    (error: unknown) => (error instanceof ApiError ? String(error.status) : String(error)),
  );
  return [CLIENT_VERSION, accepted, found, slugs.join(), refused].join(" ");
}
`;

/** Without its types, as Node strips them, for a browser. */
let script = "";

function expected(): string {
  const { version } = JSON.parse(readFileSync(join(MODULES, "@mooring/client/package.json"), "utf8")) as {
    version: string;
  };
  return `${version} 1 true ${portal.shared.home.project.slug} 400`;
}

test("the package has types, modules and notices, and no sources", () => {
  const names = readdirSync(join(MODULES, "@mooring/client"), { recursive: true, encoding: "utf8" });
  const isSource = (name: string): boolean => /(?<!\.d)\.ts$|\.tsx$|\.map$|\.(test|full)\./.test(name);
  assert.deepEqual(names.filter(isSource), []);
  for (const name of ["LICENSE", "README.md", "THIRD_PARTY_NOTICES.md", join("dist", "index.js")])
    assert.ok(names.includes(name), name);
});

test("a program in TypeScript compiles in strict mode with the package's types", () => {
  writeFileSync(join(folder.path, "calls.ts"), PROGRAM);
  const options = {
    strict: true,
    noEmitOnError: true,
    skipLibCheck: false,
    target: "es2022",
    module: "nodenext",
    types: [],
  };
  const config = { compilerOptions: { ...options, lib: ["es2023", "dom", "dom.asynciterable"] }, files: ["calls.ts"] };
  writeFileSync(join(folder.path, "tsconfig.json"), JSON.stringify(config));
  writeFileSync(join(folder.path, "package.json"), JSON.stringify({ type: "module" }));
  const compiler = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", folder.path], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
  script = readFileSync(join(folder.path, "calls.js"), "utf8");
});

test("it gets a token, sends, queries, lists and refuses in Node", () => {
  const { server, home } = portal.shared;
  const words = [server.origin, home.credential.client_id, home.credential.client_secret];
  const code = `import { calls } from "./calls.js"; console.log(await calls(...process.argv.slice(1)));`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", code, ...words], {
    cwd: folder.path,
    env: folder.environment,
    encoding: "utf8",
  });
  assert.equal(printed.trim(), expected());
});

test("the same modules do the same in a page", { skip: NO_CHROMIUM }, async () => {
  const { server, home } = portal.shared;
  const tab = await portal.openEmpty();
  const { page } = tab;
  const dist = join(MODULES, "@mooring/client/dist");
  const imports = { "@mooring/client": "/app/client/index.js", "@mooring/client/contract": "/app/client/contract.js" };
  const html = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>`;
  // A page of the server's origin, as a reverse proxy adds it. Requests of the modules reach the server.
  await page.route("**/app/**", (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === "/app/") return route.fulfill({ contentType: "text/html", body: html });
    if (pathname === "/app/calls.js") return route.fulfill({ contentType: "text/javascript", body: script });
    return route.fulfill({ contentType: "text/javascript", path: join(dist, pathname.slice("/app/client/".length)) });
  });
  await page.goto("/app/");
  const words = [server.origin, home.credential.client_id, home.credential.client_secret];
  const printed = await page.evaluate(
    `import("/app/calls.js").then(({ calls }) => calls(...${JSON.stringify(words)}))`,
  );
  assert.equal(printed, expected());
  await tab.close();
});
