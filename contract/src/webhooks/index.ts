import { WEBHOOK_CONSUMER_ROWS } from "./consumers.ts";
import { WEBHOOK_DESTINATION_ROWS } from "./destinations.ts";
import { WEBHOOK_EVENT_ROWS } from "./events.ts";
import { WEBHOOK_ROWS } from "./webhooks.ts";

export { WEBHOOK_SENDERS, type SenderText, type WebhookSender } from "./senders/index.ts";
export { WEBHOOK_HANDSHAKES, WEBHOOK_SCHEMES, type WebhookScheme } from "./shapes.ts";

/** Incoming webhooks. The address for senders is not an operation of the JSON API: it accepts any request. */
export const WEBHOOK_ROUTES = {
  ...WEBHOOK_ROWS,
  ...WEBHOOK_EVENT_ROWS,
  ...WEBHOOK_DESTINATION_ROWS,
  ...WEBHOOK_CONSUMER_ROWS,
} as const;
