import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { platformFault } from "./platform.ts";

const fault = (platform: string, arch: string, engine = true): string | null =>
  platformFault({ platform, arch, hasEngine: () => engine });

test("this machine can run the server", () => {
  assert.equal(platformFault(), null);
});

test("a platform without a build of the query engine is refused in one sentence that names the others", () => {
  const expected = /^cannot run on linux-riscv64: .* has no build for it; use one of darwin-arm64, .*, linux-x64$/;
  assert.match(fault("linux", "riscv64") ?? "", expected);
  assert.match(fault("freebsd", "x64") ?? "", /^cannot run on freebsd-x64: /);
});

test("Windows is refused, with two ways that work", () => {
  assert.match(fault("win32", "x64") ?? "", /^cannot run on Windows: .*; use WSL 2, or the container image$/);
});

test("a missing build is named, with the remedy", () => {
  assert.match(
    fault("linux", "arm64", false) ?? "",
    /DuckDB\) for linux-arm64 is not installed; install again without omitting/,
  );
  assert.equal(fault("linux", "arm64"), null);
});

const PAGE = readFileSync(join(import.meta.dirname, "../../../docs/reference/platforms.md"), "utf8");

/** The platforms of each row of the page's first table. */
const ROWS: Readonly<Record<string, readonly [string, string][]>> = {
  "Linux x64, glibc 2.28 or newer": [["linux", "x64"]],
  "Linux arm64, glibc 2.28 or newer": [["linux", "arm64"]],
  "Linux x64 and arm64, musl (Alpine)": [
    ["linux", "x64"],
    ["linux", "arm64"],
  ],
  "macOS, arm64 and x64": [
    ["darwin", "arm64"],
    ["darwin", "x64"],
  ],
  Windows: [["win32", "x64"]],
  "other systems and processors": [
    ["freebsd", "x64"],
    ["linux", "riscv64"],
    ["linux", "s390x"],
  ],
};

/** Returns the rows of the table below a heading: the first cell and the second. */
function tableBelow(heading: string): [string, string][] {
  const [, section = ""] = PAGE.split(`\n## ${heading}\n`);
  const lines = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(2).map((line) => {
    const [, first = "", second = ""] = line.split("|");
    return [first.trim(), second.trim()];
  });
}

test("the page of supported platforms refuses the platforms that a start refuses, and no others", () => {
  const table = tableBelow("Server");
  assert.deepEqual(
    table.map(([name]) => name),
    Object.keys(ROWS),
  );
  for (const [name, state] of table)
    for (const [platform, arch] of ROWS[name] ?? [])
      assert.equal(state.startsWith("refused"), fault(platform, arch) !== null, `${name}: ${platform}-${arch}`);
});

test("the platform and the Node of this run are marked as tested", () => {
  const states = new Map(tableBelow("Server"));
  const own = Object.entries(ROWS).find(([, platforms]) =>
    platforms.some(([platform, arch]) => platform === process.platform && arch === process.arch),
  );
  if (process.env["CI"] === "true") assert.match(states.get(own?.[0] ?? "") ?? "", /^tested/, String(own?.[0]));
  const [major = ""] = process.versions.node.split(".");
  if (process.env["CI"] === "true") assert.equal(new Map(tableBelow("Node")).get(major), "tested", major);
  assert.equal(tableBelow("Server").filter(([, state]) => state.startsWith("tested")).length, 1);
});
