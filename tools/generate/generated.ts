import { alertRules, alertTests } from "./alert-rules.ts";
import { alertsPage } from "./alerts-page.ts";
import { agentsPage } from "./agents-page.ts";
import { architecturePage } from "./architecture-page.ts";
import { commandNouns, commandsPage } from "./commands.ts";
import { configurationPage } from "./configuration-page.ts";
import { dashboard } from "./dashboard.ts";
import { errorsPage } from "./errors-page.ts";
import { ingestPage } from "./ingest-page.ts";
import type { Generated } from "./generated-file.ts";
import { metricsPage } from "./metrics-page.ts";
import { OPENAPI_FILES } from "./openapi.ts";
import { refusalsPage } from "./refusals-page.ts";
import { webhookSendersPage } from "./webhook-senders-page.ts";
import { wordsLeftFile } from "./words-left.ts";

/** Every generated file; add yours here. */
export const GENERATED: readonly Generated[] = [
  commandNouns,
  commandsPage,
  configurationPage,
  errorsPage,
  ...OPENAPI_FILES,
  metricsPage,
  alertsPage,
  alertRules,
  alertTests,
  dashboard,
  agentsPage,
  architecturePage,
  ingestPage,
  refusalsPage,
  webhookSendersPage,
  wordsLeftFile,
];
