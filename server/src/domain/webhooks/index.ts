export { readBody } from "./body.ts";
export {
  bodyOf,
  cursorOf,
  eventRecords,
  findEvent,
  listEvents,
  listRejections,
  matcherOf,
  newest,
  readEvents,
  seqOf,
  type EventSearch,
} from "./events.ts";
export type { Kept } from "./event-log.ts";
export { EventFeed } from "./feed.ts";
export { webhookOfToken } from "./leaked.ts";
export { eventBySeq, eventsAfter, newestSeq } from "./events-store.ts";
export type { HandshakeAnswer } from "./handshakes.ts";
export { needsSecret, type WebhookInput } from "./input.ts";
export { SENDERS, type Sender } from "./senders/index.ts";
export { Receiver, type Received, type Target } from "./receiver.ts";
export type { HookRequest } from "./request.ts";
export type {
  EventRow,
  EventsDeps,
  RejectionRow,
  Scheme,
  UrlRow,
  Webhook,
  WebhooksDeps,
  WebhooksSettings,
} from "./types.ts";
export {
  createWebhook,
  type MadeWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  revealUrl,
  rotateSecret,
  rotateUrl,
  settingsOf,
  updateWebhook,
  urlsOfWebhooks,
  versionOf,
} from "./webhooks.ts";
export {
  acknowledge,
  claim,
  createConsumer,
  deleteConsumer,
  listConsumers,
  type ConsumerRow,
  type Leased,
} from "./consumers.ts";
export {
  eraseEvents,
  eraseWebhook,
  retentionOfProject,
  setRetentionOfProject,
  startTidying,
  tidyHandler,
} from "./tidy.ts";
export { webhookTrash } from "./trash.ts";
