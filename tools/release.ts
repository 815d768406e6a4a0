// npm run release -- --dry-run --out DIR [--key FILE] [--without PART]: writes everything that a release has into DIR:
// packages, image, chart, SBOMs, notes, checksums and signatures. The same commit gives the same bytes, except for
// signatures. It publishes nothing.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readManifest } from "./package/workspace.ts";
import { checkNodeBinary } from "./release/node-sums.ts";
import { notesOf } from "./release/notes.ts";
import { isThere, PARTS, type Part, type PartPlace } from "./release/parts.ts";
import { releaseKey, signRelease } from "./release/signing.ts";
import { assertReleasable, commitTimeMs } from "./release/state.ts";

const ROOT = join(import.meta.dirname, "..");
const OPTIONS = {
  "dry-run": { type: "boolean" },
  out: { type: "string" },
  key: { type: "string" },
  without: { type: "string", multiple: true },
} as const;

interface Wish {
  readonly out: string;
  readonly isDry: boolean;
  readonly keyFile: string | undefined;
  /** Parts to leave out. Only a dry run may leave out parts. */
  readonly without: readonly string[];
}

async function release({ out, isDry, keyFile, without }: Wish): Promise<void> {
  const { version } = readManifest(ROOT, "server");
  assertReleasable(ROOT, { version, out, isDry });
  const notes = notesOf(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version, { isDry });
  const pem = process.env["MOORING_RELEASE_KEY"];
  const key = releaseKey({ file: keyFile, pem, isDry });
  const place: PartPlace = { root: ROOT, out, version, atMs: commitTimeMs(ROOT) };
  const parts = chosenParts(place, { isDry, without });
  await checkNode();
  mkdirSync(out, { recursive: true });
  for (const part of parts) await part.make(place);
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

/** @throws Error when a release, and not only a dry run, would lack a part */
function chosenParts(place: PartPlace, { isDry, without }: Pick<Wish, "isDry" | "without">): Part[] {
  const reasons = PARTS.map((part) => [part, whyNot(place, part, without)] as const);
  const left = reasons.flatMap(([{ name }, reason]) => (reason === null ? [] : [`the ${name}, ${reason}`]));
  if (left.length > 0 && !isDry) throw new Error(`cannot release ${place.version} without ${left.join("; ")}`);
  for (const each of left) process.stdout.write(`LEFT OUT: ${each}\n`);
  return reasons.flatMap(([part, reason]) => (reason === null ? [part] : []));
}

function whyNot(place: PartPlace, part: Part, without: readonly string[]): string | null {
  if (without.includes(part.name)) return "as asked";
  return isThere(place, part) ? null : `because ${part.needs} does not exist`;
}

const { values } = parseArgs({ options: OPTIONS });
if (values.out === undefined) {
  console.error("cannot release: name a directory for the files, as in: npm run release -- --dry-run --out DIR");
  process.exitCode = 2;
} else {
  try {
    const { without = [], key: keyFile, "dry-run": isDry = false } = values;
    await release({ out: resolve(values.out), isDry, keyFile, without });
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
