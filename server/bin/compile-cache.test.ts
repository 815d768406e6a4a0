import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

type CacheDirectory = (args: readonly string[], environment: Readonly<Record<string, string>>) => string | undefined;
const skip = process.platform === "win32" ? "Windows has no file modes" : false;
const folder = mkdtempSync(join(tmpdir(), "mooring-cache-"));
let count = 0;

after(() => rmSync(folder, { recursive: true }));

async function load(): Promise<CacheDirectory> {
  const { href } = new URL("./compile-cache.mjs", import.meta.url);
  return ((await import(href)) as { cacheDirectory: CacheDirectory }).cacheDirectory;
}

/** Creates a directory. If `home` is null, the home can't be written. */
function place(): string {
  const path = join(folder, String(++count));
  mkdirSync(path);
  return path;
}

/** Not even root can create a directory below it. */
const NO_HOME = { HOME: "/proc/nowhere" };

test("the cache is in the user's cache directory, for the user alone", { skip }, async () => {
  const cacheDirectory = await load();
  const home = place();
  assert.equal(cacheDirectory(["version"], { HOME: home }), join(home, ".cache/mooring"));
  assert.equal(statSync(join(home, ".cache/mooring")).mode & 0o777, 0o700);
  const caches = place();
  assert.equal(cacheDirectory([], { HOME: home, XDG_CACHE_HOME: caches }), join(caches, "mooring"));
  assert.equal(cacheDirectory([], { HOME: home, XDG_CACHE_HOME: "relative" }), join(home, ".cache/mooring"));
});

test("a directory that others can write is not used, and neither is one below it", { skip }, async () => {
  const cacheDirectory = await load();
  for (const open of [".cache/mooring", ".cache", "."]) {
    const home = place();
    mkdirSync(join(home, ".cache/mooring"), { recursive: true });
    chmodSync(join(home, open), 0o777);
    assert.equal(cacheDirectory([], { HOME: home }), undefined, open);
  }
  const [home, elsewhere] = [place(), place()];
  chmodSync(elsewhere, 0o777);
  symlinkSync(elsewhere, join(home, ".cache"));
  assert.equal(cacheDirectory([], { HOME: home }), undefined, "by a link");
});

test(
  "without a home, a server has its cache in an existing data directory, and other commands have none",
  { skip },
  async () => {
    const cacheDirectory = await load();
    const data = place();
    const cache = join(data, "cache");
    assert.equal(cacheDirectory(["query", "--data-dir", data], NO_HOME), undefined);
    assert.equal(cacheDirectory(["serve"], NO_HOME), undefined);
    assert.equal(cacheDirectory(["serve", "--data-dir", join(data, "absent")], NO_HOME), undefined);
    assert.equal(existsSync(join(data, "absent")), false);
    assert.equal(cacheDirectory(["serve", "--data-dir", data], NO_HOME), cache);
    assert.equal(cacheDirectory(["serve", `--data-dir=${data}`], NO_HOME), cache);
    assert.equal(cacheDirectory(["serve"], { ...NO_HOME, MOORING_DATA_DIR: data }), cache);
  },
);
