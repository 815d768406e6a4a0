/** The steps of a new reader: the README's first steps, then every page, in one checkout with one server and no other preparation. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readPages } from "../fixtures/page.ts";
import { openReader, type Reader } from "../fixtures/reader.ts";

const [readme, ...pages] = readPages();
let reader: Reader;

before(async () => {
  reader = await openReader(Object.assign({}, ...pages.map(({ settings }) => settings)) as Record<string, string>);
});

after(() => reader.close());

test("README.md", async () => {
  assert.ok(readme !== undefined);
  const printed = await reader.read(readme);
  const file = printed.find((text) => text.includes('"filename":"read me.md"')) ?? "";
  assert.match(file, /"size_bytes":\d+/, `the file is uploaded and listed: ${printed.join("\n")}`);
  assert.match(file, /# Mooring\s*$/, "the range is its first line, and the deletion prints nothing");
  assert.ok(printed.some((text) => text.includes('"accepted":2')));
  assert.ok(printed.some((text) => text.includes("card refused")));
  for (const text of printed) assert.doesNotMatch(text, /"status":\s*[45]\d\d/, "no problem was answered");
});

for (const page of pages) {
  test(page.path, async (t) => {
    await reader.read(page);
    for (const { line, notRun } of page.blocks)
      if (notRun !== undefined) t.diagnostic(`${page.path}, line ${line} was not run: ${notRun}`);
  });
}

test("no command of a page left a secret where git would add it", () => {
  assert.deepEqual(reader.exposedSecrets(), []);
});
