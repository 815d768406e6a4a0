// npm run image -- --out DIR [--platform linux/amd64]: writes the container image as an OCI layout into DIR, with a
// list of its parts for each platform. No daemon and no root is needed. The same commit and the same packages of Debian
// give the same bytes.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ARCHITECTURES, buildImage } from "./image/build.ts";

const ROOT = join(import.meta.dirname, "..");

const { values } = parseArgs({ options: { out: { type: "string" }, platform: { type: "string", multiple: true } } });
const platforms = values.platform ?? ARCHITECTURES.map((each) => `linux/${each}`);
const unknown = platforms.filter((each) => !ARCHITECTURES.some((known) => each === `linux/${known}`));
if (values.out === undefined || unknown.length > 0) {
  const why = values.out === undefined ? "name a directory for it" : `there is no platform ${unknown.join(", ")}`;
  console.error(`cannot make the image: ${why}, as in: npm run image -- --out DIR --platform linux/amd64`);
  process.exit(2);
}
const directory = resolve(values.out);
mkdirSync(directory, { recursive: true });
const work = mkdtempSync(join(tmpdir(), "mooring-image-"));
try {
  const architectures = platforms.map((each) => each.slice("linux/".length));
  const image = await buildImage({ root: ROOT, directory, work, architectures });
  for (const { architecture, parts } of image.platforms) {
    for (const { what, bytes, compressedBytes } of parts)
      process.stdout.write(
        `linux/${architecture.padEnd(6)} ${what.padEnd(24)} ${mib(bytes)} ${mib(compressedBytes)} compressed\n`,
      );
    const total = parts.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0);
    process.stdout.write(
      `linux/${architecture.padEnd(6)} ${"all".padEnd(24)} ${"".padStart(10)} ${mib(total)} compressed\n`,
    );
  }
  process.stdout.write(`${join(directory, image.name)}  ${image.digest}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1).padStart(6)} MiB`;
}
