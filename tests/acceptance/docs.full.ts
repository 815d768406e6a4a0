/** The steps of a new reader: the README's first steps, then every page, in one checkout with one server and no other preparation. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BAD_DAYS, readPages, START } from "../fixtures/page.ts";
import { openReader, type Reader } from "../fixtures/reader.ts";

const [readme, ...others] = readPages();
const pages = others.filter(({ path }) => path !== START && !path.startsWith(BAD_DAYS));
let reader: Reader;

before(async () => {
  reader = await openReader(Object.assign({}, ...pages.map(({ settings }) => settings)) as Record<string, string>);
});

/** Counts the lines of a script that begin a command; continued lines and texts within them are not counted. */
function commandsOf(script: string): number {
  const joined = script.replaceAll(/\\\n/g, " ").replaceAll(/<<'?END'?\n[\s\S]*?^END$/gm, "");
  return joined
    .replaceAll(/'[^']*'/g, "''")
    .split("\n")
    .filter((line) => /^[^\s#]/.test(line)).length;
}

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

for (const page of pages) test(page.path, async () => void (await reader.read(page)));

test("the run and the marked commands are counted", () => {
  const blocks = [readme, ...pages].flatMap((page) =>
    (page?.blocks ?? []).map((block) => ({ ...block, path: page?.path })),
  );
  const marked = blocks.filter(({ notRun }) => notRun !== undefined);
  for (const { path, line, notRun } of marked) console.log(`figure: not run: ${path}, line ${line}: ${notRun}`);
  const commands = (list: readonly { script: string }[]): number =>
    list.reduce((sum, { script }) => sum + commandsOf(script), 0);
  console.log(
    `figure: ${blocks.length - marked.length} blocks with ${commands(blocks) - commands(marked)} commands were run on ${pages.length + 1} pages`,
  );
  console.log(`figure: ${marked.length} blocks with ${commands(marked)} commands were not run, each for a reason`);
  assert.ok(marked.length < blocks.length / 3, "most blocks are run");
});

test("no command of a page left a secret where git would add it", () => {
  assert.deepEqual(reader.exposedSecrets(), []);
});
