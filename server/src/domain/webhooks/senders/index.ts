import type { WebhookSender } from "@mooring/contract";
import type { Scheme } from "../types.ts";
import { CLOUD } from "./cloud.ts";
import { COMMERCE } from "./commerce.ts";
import { DEVELOPMENT } from "./development.ts";
import { DOCUMENTS } from "./documents.ts";
import { MESSAGES } from "./messages.ts";
import { pointersOf } from "./pointers.ts";
import type { Sender } from "./sender.ts";
import { STANDARD } from "./standard.ts";

export { placesOf } from "./pointers.ts";
export type { ExpectedAnswer, Sender, SenderHandshake } from "./sender.ts";

/** The recipe of each sender. The contract has the texts for people (`WEBHOOK_SENDERS`). */
export const SENDERS: Readonly<Record<WebhookSender, Sender>> = {
  ...STANDARD,
  ...DEVELOPMENT,
  ...COMMERCE,
  ...MESSAGES,
  ...CLOUD,
  ...DOCUMENTS,
};

const POINTERS = new Map(Object.entries(SENDERS).map(([name, sender]) => [name, pointersOf(sender)]));

/** Returns the JSON pointers that the recipe of a scheme reads. */
export function pointersOfScheme(scheme: Scheme): readonly string[] {
  return POINTERS.get(scheme) ?? [];
}

/** Returns the row of a scheme; undefined for a generic scheme. */
export function senderOf(scheme: Scheme): Sender | undefined {
  return Object.hasOwn(SENDERS, scheme) ? SENDERS[scheme as WebhookSender] : undefined;
}
