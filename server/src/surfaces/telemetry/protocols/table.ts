import { PROMETHEUS } from "./prometheus/protocol.ts";
import type { Protocol } from "./protocol.ts";

/** Every protocol other than OTLP and the JSON API. */
export const PROTOCOLS: readonly Protocol[] = [PROMETHEUS];
