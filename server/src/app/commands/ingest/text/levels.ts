/** Words that loggers write for how bad something is. */
const WORDS = [
  "TRACE",
  "FINEST",
  "FINER",
  "FINE",
  "DEBUG[1-5]?",
  "VERBOSE",
  "CONFIG",
  "INFORMATION",
  "INFO",
  "NOTICE",
  "AUDIT",
  "LOG",
  "WARNING",
  "WARN",
  "ERROR",
  "ERR",
  "SEVERE",
  "FAILURE",
  "CRITICAL",
  "CRIT",
  "ALERT",
  "EMERGENCY",
  "EMERG",
  "FATAL",
  "PANIC",
];

/** Source of an expression for one level word, to be put into others. */
export const LEVEL_WORD = `(?:${WORDS.join("|")})`;

/** `error: …`, `fatal: …` at the beginning of a message, as sshd and many programs write it. */
const LEADING = /^(trace|debug[1-5]?|info|notice|warning|warn|error|critical|fatal|panic|emergency):/i;

export function leadingLevel(message: string): string | undefined {
  return LEADING.exec(message)?.[1]?.toLowerCase();
}

/** Severities of syslog by number (RFC 5424 section 6.2.1). */
const SYSLOG = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

/** Level of a syslog priority value, `<PRI>`. */
export function syslogLevel(priority: number): string {
  return SYSLOG[priority % 8] ?? "info";
}
