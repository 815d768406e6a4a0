import { CODE_RULES } from "./code.ts";
import { DOCS_RULES } from "./docs.ts";
import { DOC_LIST_RULES } from "./doc-lists.ts";
import type { Rule } from "./files.ts";
import { SURFACE_RULES } from "./surfaces.ts";
import { credentialsInOnePlace, projectsInOnePlace, readTables } from "./tables.ts";
import { TEXT_RULES } from "./text.ts";
import { periodicWork } from "./timers.ts";
import { plainWords } from "./words.ts";

export const TIDY_RULES: readonly Rule[] = [
  ...CODE_RULES,
  ...TEXT_RULES,
  ...SURFACE_RULES,
  ...DOCS_RULES,
  ...DOC_LIST_RULES,
  readTables,
  periodicWork,
  projectsInOnePlace,
  credentialsInOnePlace,
  plainWords,
];
