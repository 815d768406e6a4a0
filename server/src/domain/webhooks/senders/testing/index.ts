import type { WebhookSender } from "@mooring/contract";
import { CLOUD } from "./cloud.ts";
import { COMMERCE } from "./commerce.ts";
import { DEVELOPMENT } from "./development.ts";
import { DOCUMENTS } from "./documents.ts";
import { MESSAGES } from "./messages.ts";
import type { Sample } from "./sample.ts";
import { STANDARD } from "./standard.ts";

/** A request of every sender in the table. */
export const SAMPLES: Readonly<Record<WebhookSender, Sample>> = {
  ...STANDARD,
  ...DEVELOPMENT,
  ...COMMERCE,
  ...MESSAGES,
  ...CLOUD,
  ...DOCUMENTS,
};
