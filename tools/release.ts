// npm run release -- --dry-run --out DIR [--key FILE]: writes everything that a release has into DIR: packages, image,
// chart, SBOMs, notes, checksums and signatures. The same commit gives the same bytes, except of signatures. It publishes nothing.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readManifest } from "./package/workspace.ts";
import { checkNodeBinary } from "./release/node-sums.ts";
import { notesOf } from "./release/notes.ts";
import { isThere, PARTS, type PartPlace } from "./release/parts.ts";
import { releaseKey, signRelease } from "./release/signing.ts";
import { assertReleasable, commitTimeMs } from "./release/state.ts";

const ROOT = join(import.meta.dirname, "..");
const OPTIONS = { "dry-run": { type: "boolean" }, out: { type: "string" }, key: { type: "string" } } as const;

async function release(out: string, isDry: boolean, keyFile: string | undefined): Promise<void> {
  const { version } = readManifest(ROOT, "server");
  assertReleasable(ROOT, { version, out, isDry });
  const notes = notesOf(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version, { isDry });
  const pem = process.env["MOORING_RELEASE_KEY"];
  const key = releaseKey({ file: keyFile, pem, isDry });
  await checkNode();
  mkdirSync(out, { recursive: true });
  await makeParts({ root: ROOT, out, version, atMs: commitTimeMs(ROOT) }, isDry);
  writeFileSync(join(out, `mooring-${version}-notes.md`), notes);
  signRelease(out, readdirSync(out), key);
  for (const name of readdirSync(out)) process.stdout.write(`${join(out, name)}\n`);
  if (keyFile === undefined && pem === undefined)
    process.stdout.write("signed with a throw-away key: these files are for a trial only\n");
}

async function checkNode(): Promise<void> {
  for (const name of Object.keys(readManifest(ROOT).optionalDependencies ?? {}))
    await checkNodeBinary(join(ROOT, "node_modules", name), name);
}

async function makeParts(place: PartPlace, isDry: boolean): Promise<void> {
  const absent = PARTS.filter((part) => !isThere(place, part));
  for (const { name, needs } of absent) {
    const why = `the ${name} can't be made: ${needs} does not exist`;
    if (!isDry) throw new Error(`cannot release ${place.version}: ${why}`);
    process.stdout.write(`LEFT OUT: ${why}\n`);
  }
  for (const part of PARTS.filter((each) => !absent.includes(each))) await part.make(place);
}

const { values } = parseArgs({ options: OPTIONS });
if (values.out === undefined) {
  console.error("cannot release: name a directory for the files, as in: npm run release -- --dry-run --out DIR");
  process.exitCode = 2;
} else {
  try {
    await release(resolve(values.out), values["dry-run"] === true, values.key);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
