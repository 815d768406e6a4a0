import { agentsPage } from "./agents-page.ts";
import { architecturePage } from "./architecture-page.ts";
import { commandNouns, commandsPage } from "./commands.ts";
import { configurationPage } from "./configuration-page.ts";
import { errorsPage } from "./errors-page.ts";
import type { Generated } from "./generated-file.ts";
import { OPENAPI_FILES } from "./openapi.ts";
import { webhookSendersPage } from "./webhook-senders-page.ts";
import { wordsLeftFile } from "./words-left.ts";

/** Every generated file; add yours here. */
export const GENERATED: readonly Generated[] = [
  commandNouns,
  commandsPage,
  configurationPage,
  errorsPage,
  ...OPENAPI_FILES,
  agentsPage,
  architecturePage,
  webhookSendersPage,
  wordsLeftFile,
];
