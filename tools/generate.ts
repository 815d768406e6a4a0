// npm run generate: writes the checked-in files that are generated from the sources. With --check, lists the files that
// would change.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { GENERATED } from "./generate/generated.ts";

const { values } = parseArgs({
  options: { check: { type: "boolean", default: false }, root: { type: "string", default: process.cwd() } },
});

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

let stale = 0;
for (const generated of GENERATED) {
  const { path } = generated;
  const target = join(values.root, path);
  const text = await generated.render();
  if (readIfThere(target) === text) continue;
  stale++;
  if (values.check) {
    console.error(`${path} is not what its generator makes`);
    continue;
  }
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
  console.log(`wrote ${path}`);
}
console.log(`${GENERATED.length} generated files, ${stale} ${values.check ? "stale" : "written"}`);
if (values.check && stale > 0) process.exitCode = 1;
