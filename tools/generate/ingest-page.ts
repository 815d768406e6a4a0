import { ENTRY_REFUSALS } from "@mooring/contract";
import { pageWithBlock } from "./block.ts";
import type { Generated } from "./generated-file.ts";

const PATH = "docs/reference/ingest.md";

/** The list of reasons in the page is generated. The rest is written by hand. */
export const ingestPage: Generated = {
  path: PATH,
  render: () => {
    const reasons = Object.entries(ENTRY_REFUSALS).map(([reason, meaning]) => `- \`${reason}\`: ${meaning}`);
    return pageWithBlock(PATH, "reasons", reasons.join("\n"));
  },
};
