import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readLock } from "../lock/lock.ts";
import { clientFiles } from "../package/client.ts";
import { serverFiles } from "../package/server.ts";
import { packageTarball } from "../package/tarball.ts";
import type { PackageContent } from "../package/workspace.ts";
import { npmComponents, npmSubject, sbomJson, type Component } from "./sbom.ts";

export interface PartPlace {
  readonly root: string;
  readonly out: string;
  readonly version: string;
  /** The commit's time. */
  readonly atMs: number;
}

/** A part of a release. */
export interface Part {
  readonly name: string;
  /** What the repository needs for it, relative to the root. */
  readonly needs: string;
  /** Writes its files into the directory of the release. */
  make(place: PartPlace): Promise<void>;
}

export const PARTS: readonly Part[] = [
  { name: "packages", needs: "tools/package.ts", make: packages },
  { name: "image", needs: "tools/image.ts", make: image },
  { name: "chart", needs: "deploy/chart/Chart.yaml", make: chart },
  { name: "monitoring", needs: "deploy/prometheus/alerts.yaml", make: monitoring },
];

async function packages(place: PartPlace): Promise<void> {
  await npmPackage(place, "application", { name: "mooring", file: "mooring", content: await serverFiles(place.root) });
  await npmPackage(place, "library", {
    name: "@mooring/client",
    file: "mooring-client",
    content: await clientFiles(place.root),
  });
}

async function npmPackage(
  { root, out, atMs }: PartPlace,
  type: Component["type"],
  { name, file, content }: { name: string; file: string; content: PackageContent },
): Promise<void> {
  const { version, files, thirdParties } = content;
  writeFileSync(join(out, `${file}-${version}.tgz`), packageTarball(files));
  const components = npmComponents(readLock(root), thirdParties);
  const sbom = sbomJson({ subject: npmSubject(name, version, type), components, atMs });
  writeFileSync(join(out, `${file}-${version}.cdx.json`), sbom);
}

/** The output of `npm run image`: files unchanged, and a directory (the OCI layout) as one archive. */
async function image(place: PartPlace): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), "mooring-release-"));
  try {
    const words = [join(place.root, "tools/image.ts"), "--out", work];
    run(process.execPath, words, "cannot make the image");
    for (const name of readdirSync(work)) {
      if (statSync(join(work, name)).isDirectory()) pack(place, work, { name, to: `${name}.tar` });
      else cpSync(join(work, name), join(place.out, name));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The archive has the name that `helm package` gives it. Its files are in a directory with the chart's name. */
async function chart(place: PartPlace): Promise<void> {
  packFolders(place, "mooring-chart", { mooring: "deploy/chart" });
}

/** The dashboard and the alerts. */
async function monitoring(place: PartPlace): Promise<void> {
  packFolders(place, "mooring-monitoring", {
    "mooring-monitoring/prometheus": "deploy/prometheus",
    "mooring-monitoring/grafana": "deploy/grafana",
  });
}

/** Packs folders of the repository under other names. */
function packFolders(place: PartPlace, file: string, folders: Readonly<Record<string, string>>): void {
  const work = mkdtempSync(join(tmpdir(), "mooring-release-"));
  try {
    for (const [to, from] of Object.entries(folders))
      cpSync(join(place.root, from), join(work, to), { recursive: true });
    const [name = ""] = readdirSync(work);
    pack(place, work, { name, to: `${file}-${place.version}.tgz` });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** An archive whose bytes depend on names and contents only. It has the content of links. */
function pack({ out, atMs }: PartPlace, folder: string, { name, to }: { name: string; to: string }): void {
  const fixed = ["--dereference", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=go=rX,u+rw,a-s"];
  const format = ["--format=posix", "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime"];
  const compress = to.endsWith(".tgz") ? ["--use-compress-program=gzip --no-name"] : [];
  const words = [...fixed, ...format, ...compress, `--mtime=@${atMs / 1000}`, "-cf", join(out, to), "-C", folder, name];
  run("tar", words, `cannot pack ${basename(to)}`);
}

function run(command: string, words: readonly string[], purpose: string): void {
  const { status, stdout, stderr, error } = spawnSync(command, words, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${purpose}: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
}

export function isThere({ root }: PartPlace, { needs }: Part): boolean {
  return existsSync(join(root, needs));
}
