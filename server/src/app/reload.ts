import type { Metrics } from "#kernel/metrics/index.ts";
import type { Config } from "./config.ts";
import { changeLogLevel } from "./log/level.ts";
import { SETTING_NAMES } from "./settings.ts";

interface Log {
  level: string;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ReloadParts {
  /** The settings that the server started with. */
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Reads the certificates again. Logs and returns the faults. */
  readonly certificates: { reload(): readonly string[] };
}

/** Reads the settings again. @throws ConfigError */
export type ReadConfig = () => Config;

/** Returns what SIGHUP does: it reads the settings and the certificates again, and uses those that can change. */
export function createReload({ config, log, metrics, certificates }: ReloadParts): (read: ReadConfig) => void {
  const failures = metrics.counter("mooring_config_reload_failures_total");
  return (read) => {
    const faults = [...reloadSettings({ config, log }, read), ...certificates.reload()];
    if (faults.length > 0) failures.inc({});
    log.info({ log_level: log.level, faults: faults.length }, "reloaded the log level and the certificates");
  };
}

/** Returns the faults. */
function reloadSettings({ config, log }: Pick<ReloadParts, "config" | "log">, read: ReadConfig): readonly string[] {
  let next: Config;
  try {
    next = read();
  } catch (error) {
    log.error({ err: error }, "cannot reload the settings; the old ones stay");
    return [(error as Error).message];
  }
  changeLogLevel(log, next.log_level);
  const changed = SETTING_NAMES.filter(
    (name) => name !== "log_level" && JSON.stringify(next[name]) !== JSON.stringify(config[name]),
  );
  // Names only, because values may be secrets.
  if (changed.length > 0) log.warn({ settings: changed }, "changed settings need a restart");
  return [];
}
