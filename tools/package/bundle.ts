import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown, type OutputChunk, type Plugin } from "rolldown";
import type { PackageFile } from "./tarball.ts";

export interface BundleOptions {
  readonly root: string;
  /** Paths of the entries, relative to the root, by the names of their bundles. */
  readonly entries: Readonly<Record<string, string>>;
  readonly platform: "node" | "browser";
  readonly external?: readonly RegExp[];
  readonly plugins?: readonly Plugin[];
  readonly minify?: boolean;
}

export interface Bundle {
  /** The chunks, all in one directory. */
  readonly files: readonly PackageFile[];
  /** Directories of the third-party packages whose code is in the bundle. */
  readonly packages: ReadonlySet<string>;
}

/** Bundles the entries as ES modules, without unused code of third parties. */
export async function bundle(options: BundleOptions): Promise<Bundle> {
  const { root, entries, platform, external = [], plugins = [], minify = false } = options;
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)]));
  const build = await rolldown({
    cwd: root,
    input,
    platform,
    external: [...external],
    plugins: [...plugins],
    // Prefers ES modules, since the bundler can't leave out unused members of CommonJS. It adds "import" or "require"
    // itself, depending on the importing code.
    resolve: { mainFields: ["module", "main"], conditionNames: ["module", platform, "default"] },
    onLog: (level, log, show) => {
      if (level === "warn") throw new Error(`cannot bundle: ${log.message}`);
      show(level, log);
    },
  });
  const { output } = await build.generate({
    format: "esm",
    minify,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    comments: { legal: true },
  });
  await build.close();
  const chunks = output.filter((each): each is OutputChunk => each.type === "chunk");
  return {
    files: chunks.map(({ fileName, code }) => ({ path: fileName, content: code })),
    packages: new Set(chunks.flatMap(({ moduleIds }) => moduleIds.map(packageOf)).filter((each) => each !== null)),
  };
}

/** Returns the directory of the installed package that contains a module; null for our own modules. */
function packageOf(module: string): string | null {
  const file = module.replace(/^\0/, "").split("?")[0] ?? "";
  if (!file.includes("/node_modules/")) return null;
  for (let directory = dirname(file); ; directory = dirname(directory)) {
    if (nameIn(directory) !== undefined) return directory;
    if (directory.endsWith("/node_modules")) throw new Error(`cannot bundle ${file}: it belongs to no package`);
  }
}

/** Some packages have further manifests in their folders, without a version. */
function nameIn(directory: string): string | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Record<
      string,
      string
    >;
    return version === undefined ? undefined : name;
  } catch {
    return undefined;
  }
}
