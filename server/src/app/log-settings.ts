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
} as const;
