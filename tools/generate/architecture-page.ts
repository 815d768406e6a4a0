import { fileURLToPath } from "node:url";
import { foldersIn } from "../tidy/doc-lists.ts";
import { listFiles } from "../tidy/files.ts";
import { pageWithBlock } from "./block.ts";
import type { Generated } from "./generated-file.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PATH = "docs/architecture.md";

/**
 * The lists of surfaces, domains and stores in the page are generated from the folders. The rest is written by hand.
 */
export const architecturePage: Generated = {
  path: PATH,
  render: () => {
    const files = listFiles(ROOT);
    const surfaces = foldersIn(files, "server/src/surfaces").map(
      (name) => `[\`${name}\`](../server/src/surfaces/${name}/README.md)`,
    );
    const folders = (layer: string): string[] => foldersIn(files, `server/src/${layer}`).map((name) => `\`${name}\``);
    const list = [
      `- \`surfaces/\`: ${surfaces.join(", ")}`,
      `- \`domain/\`: ${folders("domain").join(", ")}`,
      `- \`stores/\`: ${folders("stores").join(", ")}`,
    ].join("\n");
    return pageWithBlock(PATH, "folders", list);
  },
};
