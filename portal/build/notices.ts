import { join, relative, resolve } from "node:path";
import type { Plugin } from "vite";
import { noticesPage, packageDirectories } from "../../tools/package/notices.ts";

/** The page's path in the build; the server serves it there. */
const PAGE = "portal/third-party-notices.txt";
/** The paths of the packages, as package-lock.json has them. Not served. */
export const PORTAL_PACKAGES = "mooring-packages.json";

/** Packages whose style sheets ours import. The style compiler reads them, so they are not modules of the build. */
const STYLES = ["tailwindcss"];

/** Writes the licences of third-party code, styles and fonts in the build, and the list of their packages. */
export function notices(portal: string): Plugin {
  return {
    name: "notices",
    apply: "build",
    generateBundle(_options, output) {
      const root = join(portal, "..");
      const sources = Object.values(output).flatMap((each) =>
        each.type === "chunk" ? each.moduleIds : each.originalFileNames.map((name) => resolve(portal, name)),
      );
      const styles = STYLES.map((name) => join(root, "node_modules", name, "package.json"));
      const directories = packageDirectories([...sources, ...styles]);
      const paths = [...directories].map((path) => relative(root, path)).toSorted();
      this.emitFile({ type: "asset", fileName: PAGE, source: noticesPage("The portal", directories) });
      this.emitFile({ type: "asset", fileName: PORTAL_PACKAGES, source: `${JSON.stringify(paths)}\n` });
    },
  };
}
