import Type from "typebox";

/** Settings of the server's log: a part of `SETTINGS`. */
export const LOG_SETTINGS = {
  log_level: {
    schema: Type.Enum(["debug", "info", "warn", "error", "silent"]),
    default: "info",
    form: "debug, info, warn, error or silent",
    description: "lowest severity of log lines on stderr",
  },
} as const;
