export { checkedUrl, originOf, requireUrl, shownUrl } from "./addresses.ts";
export * from "./forwarding/index.ts";
export { messageHandler, sendSoon, type SendingDeps } from "./queue.ts";
export { rotatedSecret, sealSecret } from "./secrets.ts";
