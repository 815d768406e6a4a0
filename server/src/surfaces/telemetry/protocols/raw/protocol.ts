import { zoneOf } from "#domain/telemetry/text/index.ts";
import { Problem } from "#kernel/problem.ts";
import { codingOf } from "../../wire/coding.ts";
import { jsonAnswer, valueOf, type Choice, type Protocol, type RequestHead } from "../protocol.ts";
import type { RawReport } from "./parse.ts";

const ON_NO_TIME = ["now", "previous", "reject", "join"];
const PARAMETERS = ["service", "timezone", "on_no_time"];

/** Lines of text or JSON of any shape, for curl and for programs that send nothing else. */
export const RAW: Protocol = {
  name: "raw",
  type: "logs",
  writes: [{ method: "POST", url: "/raw/logs", operationId: "rawLogs" }],
  choose,
  answer: ({ report }) => {
    const { accepted, rejected, errors } = report as RawReport;
    return jsonAnswer(202, rejected === 0 ? { accepted } : { accepted, rejected, errors });
  },
};

/** @throws Problem `invalid_parameter` */
function choose({ headers, query }: RequestHead): Choice {
  const unknown = Object.keys(query).find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw wrong(unknown, `is not a parameter; there are ${PARAMETERS.join(", ")}`);
  const sent = PARAMETERS.flatMap((name) => (valueOf(query, name) === undefined ? [] : [[name, valueOf(query, name)]]));
  const settings = Object.fromEntries(sent) as Record<string, string>;
  const { timezone, on_no_time: onNoTime = "now" } = settings;
  if (timezone !== undefined && zoneOf(timezone) === null)
    throw wrong("timezone", "must be an IANA name or an offset, for example Europe/Berlin or +01:00");
  if (!ON_NO_TIME.includes(onNoTime)) throw wrong("on_no_time", `must be one of ${ON_NO_TIME.join(", ")}`);
  return { parser: "raw", coding: codingOf(headers["content-encoding"]), settings };
}

function wrong(pointer: string, detail: string): Problem {
  return new Problem("invalid_parameter", `${pointer} ${detail}.`, { errors: [{ pointer, detail }] });
}
