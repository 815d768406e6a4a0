import { CLOUD } from "./cloud.ts";
import { COMMERCE } from "./commerce.ts";
import { DEVELOPMENT } from "./development.ts";
import { DOCUMENTS } from "./documents.ts";
import { MESSAGES } from "./messages.ts";
import { STANDARD } from "./standard.ts";
import type { SenderText } from "./text.ts";

export type { SenderText } from "./text.ts";

const TEXTS = { ...STANDARD, ...DEVELOPMENT, ...COMMERCE, ...MESSAGES, ...CLOUD, ...DOCUMENTS } as const;

export type WebhookSender = keyof typeof TEXTS;

/** Every sender whose signatures or keys the server verifies. The server has the recipes. */
export const WEBHOOK_SENDERS: Readonly<Record<WebhookSender, SenderText>> = TEXTS;
