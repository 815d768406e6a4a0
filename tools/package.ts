// npm run package -- --out DIR: writes the npm packages `mooring` and `@mooring/client` as tarballs into DIR. The same
// commit gives the same bytes.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { clientFiles } from "./package/client.ts";
import { serverFiles } from "./package/server.ts";
import { packageTarball } from "./package/tarball.ts";

const ROOT = join(import.meta.dirname, "..");

const { out } = parseArgs({ options: { out: { type: "string" } } }).values;
if (out === undefined) {
  console.error("cannot make the packages: name a directory for them, as in: npm run package -- --out DIR");
  process.exit(2);
}
const directory = resolve(out);
mkdirSync(directory, { recursive: true });
for (const [name, make] of [
  ["mooring", serverFiles],
  ["mooring-client", clientFiles],
] as const) {
  const { version, files } = await make(ROOT);
  const bytes = packageTarball(files);
  const path = join(directory, `${name}-${version}.tgz`);
  writeFileSync(path, bytes);
  process.stdout.write(`${path}  ${files.length} files, ${(bytes.length / 1024 ** 2).toFixed(1)} MiB\n`);
}
