export type { OutboundRequest, OutboundAnswer, OutboundReading, OutboundContent, Outbound } from "./types.ts";
export { OutboundError, type OutboundFailure } from "./failure.ts";
export { createOutbound, type OutboundOptions } from "./outbound.ts";
