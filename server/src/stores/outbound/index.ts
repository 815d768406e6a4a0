export type { OutboundRequest, OutboundAnswer, OutboundReading, OutboundContent, Outbound } from "./types.ts";
export { OutboundError, type OutboundFailure } from "./failure.ts";
export { MESSAGE_WAIT_MS_MAX, sendMessage, waitAfter, type Message, type Sent } from "./messages.ts";
export { createOutbound, type OutboundOptions } from "./outbound.ts";
