import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Returns a page, with the text between its marks `<!-- generated: NAME -->` and `<!-- end -->` replaced. */
export function pageWithBlock(path: string, name: string, text: string): string {
  const page = readFileSync(join(ROOT, path), "utf8");
  const block = new RegExp(String.raw`(<!-- generated: ${name} -->\n)[\s\S]*?(\n<!-- end -->)`);
  if (!block.test(page)) throw new Error(`cannot write ${path}: the marks of the generated block are missing`);
  return page.replace(block, (_, begin: string, end: string) => `${begin}\n${text}\n${end}`);
}
