// node tools/run.mjs tools/words.ts [REF]: places that break the rule plain-words on lines that were added since REF.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { listFiles } from "./tidy/files.ts";
import { placesIn } from "./tidy/words.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const [ref = "HEAD"] = process.argv.slice(2);

/** `path:line` of every added line. */
function addedLines(): Set<string> {
  const args = ["diff", "--unified=0", "--no-color", "--no-ext-diff", ref];
  const diff = execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
  const added = new Set<string>();
  let path = "";
  for (const line of diff.split("\n")) {
    path = /^\+\+\+ b\/(.+)/.exec(line)?.[1] ?? path;
    const [, first, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (first === undefined) continue;
    for (let i = 0; i < Number(count); i++) added.add(`${path}:${Number(first) + i}`);
  }
  return added;
}

const added = addedLines();
const places = listFiles(ROOT).flatMap(placesIn);
const found = places.filter((place) => added.has(place.split(":").slice(0, 2).join(":")));
console.log(found.length === 0 ? `no place on a line added since ${ref}` : found.join("\n"));
