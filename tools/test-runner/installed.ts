/** The package `mooring` under test: made, and installed from its tarball in an empty folder with an empty home. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyFolder, makePackages } from "../../tests/fixtures/package.ts";

export interface InstalledPackage {
  /** Variables of the test processes, which tests/fixtures/program.ts reads. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): void;
}

/** @throws Error with npm's output when the package can't be installed */
export function installPackage(): InstalledPackage {
  const tarballs = mkdtempSync(join(tmpdir(), "mooring-packages-"));
  const folder = emptyFolder();
  const remove = (): void => {
    folder.remove();
    rmSync(tarballs, { recursive: true, force: true });
  };
  chmodSync(folder.path, 0o755); // some tests run the program as another user
  const packages = makePackages(tarballs);
  const { status, stdout, stderr } = folder.install([packages.server, packages.client]);
  if (status !== 0) {
    remove();
    throw new Error(`cannot install the package: ${stdout}${stderr}`);
  }
  const modules = join(folder.path, "node_modules");
  return {
    environment: {
      MOORING_TEST_PROGRAM: join(modules, "mooring/bin/mooring.mjs"),
      MOORING_TEST_CLIENT: join(modules, "@mooring/client"),
      MOORING_TEST_HOME: folder.home,
    },
    remove,
  };
}
