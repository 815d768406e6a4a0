import { relative } from "node:path";
import { thinContract } from "../../portal/build/thin-contract.ts";
import { readLock } from "../lock/lock.ts";
import { installedPaths } from "../release/sbom.ts";
import { bundle } from "./bundle.ts";
import { declarationFiles } from "./declarations.ts";
import { noticesPage } from "./notices.ts";
import { dependenciesNamed, fileOf, jsonFile, readManifest, sharedFields, type PackageContent } from "./workspace.ts";

const ENTRIES = { index: "client/src/index.ts", contract: "tools/package/contract-entry.ts" };

/** The package `@mooring/client`: the calls, the rows of the contract, and the types of both. */
export async function clientFiles(root: string): Promise<PackageContent> {
  const { files, packages } = await bundle({ root, entries: ENTRIES, platform: "browser", plugins: [thinContract()] });
  const [client, contract] = [readManifest(root, "client"), readManifest(root, "contract")];
  // Only the types need it. No module loads it.
  const dependencies = dependenciesNamed(contract, ["typebox"]);
  const manifest = {
    ...sharedFields(root, client),
    sideEffects: false,
    exports: {
      ".": { types: "./types/client/index.d.ts", default: "./dist/index.js" },
      "./contract": { types: "./types/contract/index.d.ts", default: "./dist/contract.js" },
      "./package.json": "./package.json",
    },
    engines: readManifest(root).engines,
    dependencies,
  };
  return {
    version: client.version,
    files: [
      jsonFile("package.json", manifest),
      ...files.map(({ path, content }) => ({ path: `dist/${path}`, content })),
      ...declarationFiles(root),
      fileOf(root, "client/README.md", "README.md"),
      fileOf(root, "LICENSE"),
      { path: "THIRD_PARTY_NOTICES.md", content: noticesPage("This package", packages) },
    ],
    thirdParties: [
      ...[...packages].map((path) => relative(root, path)),
      ...installedPaths(readLock(root), Object.keys(dependencies)),
    ],
  };
}
