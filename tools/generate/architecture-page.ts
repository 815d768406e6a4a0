import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { foldersIn } from "../tidy/doc-lists.ts";
import { listFiles } from "../tidy/files.ts";
import type { Generated } from "./generated-file.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PATH = "docs/architecture.md";
const BLOCK = /(<!-- generated: folders -->\n)[\s\S]*?(\n<!-- end -->)/;

/**
 * The lists of surfaces, domains and stores in the page are generated from the folders. The rest is written by hand.
 */
export const architecturePage: Generated = {
  path: PATH,
  render: () => {
    const files = listFiles(ROOT);
    const page = readFileSync(join(ROOT, PATH), "utf8");
    if (!BLOCK.test(page))
      throw new Error(`cannot write the lists of ${PATH}: the marks of the generated block are missing`);
    const surfaces = foldersIn(files, "server/src/surfaces").map(
      (name) => `[\`${name}\`](../server/src/surfaces/${name}/README.md)`,
    );
    const folders = (layer: string): string[] => foldersIn(files, `server/src/${layer}`).map((name) => `\`${name}\``);
    const list = [
      `- \`surfaces/\`: ${surfaces.join(", ")}`,
      `- \`domain/\`: ${folders("domain").join(", ")}`,
      `- \`stores/\`: ${folders("stores").join(", ")}`,
    ].join("\n");
    return page.replace(BLOCK, (_, begin: string, end: string) => `${begin}\n${list}\n${end}`);
  },
};
