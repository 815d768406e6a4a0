import { join } from "node:path";
import { rolldown, type OutputChunk, type Plugin } from "rolldown";
import { packageDirectories } from "./notices.ts";
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
    // Prefers ES modules, since the bundler can't leave out unused members of CommonJS. The bundler adds the condition
    // "import" or "require", depending on the importing code.
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
    packages: packageDirectories(chunks.flatMap(({ moduleIds }) => moduleIds)),
  };
}
