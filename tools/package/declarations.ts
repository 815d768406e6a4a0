import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { PackageFile } from "./tarball.ts";

/**
 * Returns the types of the client and the contract, as `types/client/*.d.ts` and `types/contract/*.d.ts`. @throws Error
 * with the compiler's output
 */
export function declarationFiles(root: string): PackageFile[] {
  // In the repository, because the compiler looks for packages from there.
  const directory = mkdtempSync(join(root, "node_modules/.mooring-types-"));
  try {
    compile(root, directory);
    const files = ["client", "contract"].flatMap((name) => declarationsOf(directory, name));
    assertComplete(files);
    return files;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function compile(root: string, directory: string): void {
  const config = join(directory, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: root,
    outDir: directory,
    types: [],
    lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
    // These are the sources. The compiler may treat modules in node_modules as third-party code, and leave them out.
    paths: { "@mooring/contract": [join(root, "contract/src/index.ts")] },
  };
  const files = ["client/src/index.ts", "contract/src/index.ts"].map((file) => join(root, file));
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, "--project", config], { encoding: "utf8" });
  if (status !== 0) throw new Error(`cannot make the client's types:\n${stdout}${stderr}`);
}

function declarationsOf(directory: string, name: string): PackageFile[] {
  const from = join(directory, name, "src");
  return readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".d.ts"))
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1))
    .map((file) => {
      const path = posix.join("types", name, file);
      return { path, content: withPackagePaths(readFileSync(join(from, file), "utf8"), posix.dirname(path)) };
    });
}

/** @throws Error when a file imports another that is absent */
function assertComplete(files: readonly PackageFile[]): void {
  const paths = new Set(files.map(({ path }) => path));
  for (const { path, content } of files) {
    for (const [, specifier = ""] of String(content).matchAll(/(?:from |import\()"(\.[^"]*)\.js"/g)) {
      const imported = posix.join(posix.dirname(path), `${specifier}.d.ts`);
      if (!paths.has(imported))
        throw new Error(`cannot make the client's types: ${path} imports ${imported}, which is absent`);
    }
  }
}

/** Changes imports to the layout of the package: the contract is beside the client, and there are no sources. */
function withPackagePaths(text: string, folder: string): string {
  const contract = posix.relative(folder, "types/contract/index.js");
  return text
    .replaceAll('"@mooring/contract"', `"${contract.startsWith(".") ? contract : `./${contract}`}"`)
    .replaceAll(/(from |import\()"(\.[^"]*)\.ts"/g, '$1"$2.js"');
}
