import Type from "typebox";

export const LOG_SETTINGS = {
  log_level: {
    schema: Type.Enum(["debug", "info", "warn", "error", "silent"]),
    default: "info",
    form: "debug, info, warn, error or silent",
    description: "lowest severity of log lines on stderr",
  },
  log_format: {
    schema: Type.Enum(["auto", "json", "text"]),
    default: "auto",
    form: "auto, json or text",
    description:
      "form of log lines: a JSON object, or text for people; auto writes text to a terminal and JSON to anything else",
  },
  log_requests: {
    schema: Type.Enum(["off", "all"]),
    default: "off",
    form: "off or all",
    description:
      "all: a line at info for each answered request, with its caller and address; off: only for slow and refused requests",
  },
} as const;
