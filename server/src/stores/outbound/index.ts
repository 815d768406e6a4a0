export type { OutboundRequest, OutboundAnswer, OutboundReading, OutboundContent, Outbound } from "./types.ts";
export { OutboundError, type OutboundFailure } from "./failure.ts";
export { fetchThrough, type ProxiedFetch } from "./proxy-fetch.ts";
export { parseProxy, SecureTunnelAgent, TunnelAgent, type EgressProxy } from "./proxy.ts";
export { createOutbound, type OutboundOptions } from "./outbound.ts";
