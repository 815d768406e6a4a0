import { ELASTICSEARCH } from "./elasticsearch/protocol.ts";
import { LOKI } from "./loki/protocol.ts";
import { PROMETHEUS } from "./prometheus/protocol.ts";
import type { Protocol } from "./protocol.ts";
import { RAW } from "./raw/protocol.ts";
import { SPLUNK } from "./splunk/protocol.ts";

/** Every protocol other than OTLP and the JSON API. */
export const PROTOCOLS: readonly Protocol[] = [PROMETHEUS, LOKI, ELASTICSEARCH, SPLUNK, RAW];
