import { fileURLToPath } from "node:url";
import { listFiles } from "../tidy/files.ts";
import { WORDS_LEFT_PATH, wordsLeft } from "../tidy/words.ts";
import type { Generated } from "./generated-file.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Writes lower counts, never higher ones. */
export const wordsLeftFile: Generated = {
  path: WORDS_LEFT_PATH,
  render: () => `${JSON.stringify(wordsLeft(listFiles(ROOT)), null, 2)}\n`,
};
