import { zoneOf } from "#domain/telemetry/text/index.ts";
import { parseSmtpUrl } from "#stores/mail/index.ts";
import { isBackupKey } from "#stores/repository/index.ts";
import type { Config, SettingName } from "./settings.ts";
import { TLS_ADDRESSES } from "./tls-settings.ts";

/** A mistake of settings that are valid alone. */
export interface RelationMistake {
  readonly names: readonly SettingName[];
  /** Other settings that the text mentions. */
  readonly others?: readonly SettingName[];
  readonly text: string;
}

/** Returns the settings that contradict each other. */
export function relationMistakes(config: Config): RelationMistake[] {
  const found: RelationMistake[] = [];
  const together = (...names: [SettingName, SettingName]): void => {
    if ((config[names[0]] === null) !== (config[names[1]] === null))
      found.push({ names, text: "must be set together" });
  };
  const wrong = (is: boolean, name: SettingName, text: string, ...others: SettingName[]): void => {
    if (is) found.push({ names: [name], text, others });
  };
  const isTooLong = config.query_timeout_ms > config.query_timeout_ms_max;
  wrong(isTooLong, "query_timeout_ms", "must not be greater than query_timeout_ms_max", "query_timeout_ms_max");
  const isTooSmall = config.rate_limit_burst < config.rate_limit_per_second;
  wrong(isTooSmall, "rate_limit_burst", "must be at least rate_limit_per_second", "rate_limit_per_second");
  for (const [cert, key] of Object.values(TLS_ADDRESSES)) together(cert, key);
  const isSecure = config.portal_url === null ? config.tls_cert !== null : config.portal_url.startsWith("https:");
  const redirects = config.http_redirect_listen !== "off";
  wrong(redirects && !isSecure, "http_redirect_listen", "needs tls_cert, or a portal_url that begins with https://");
  wrong(config.syslog_tls_listen !== "off" && config.tls_cert === null, "syslog_tls_listen", "needs tls_cert");
  wrong(zoneOf(config.syslog_timezone) === null, "syslog_timezone", "is not a time zone that this server knows");
  together("oidc_issuer", "oidc_client_id");
  wrong(!isSafeIssuer(config.oidc_issuer), "oidc_issuer", UNSAFE_ISSUER);
  together("smtp_url", "mail_from");
  wrong(config.backup_key !== null && !isBackupKey(config.backup_key), "backup_key", "is not a backup key");
  const smtpFault = smtpFaultOf(config.smtp_url);
  wrong(smtpFault !== "", "smtp_url", smtpFault);
  for (const name of ["objects_s3_access_key_id", "objects_s3_secret_access_key"] as const)
    wrong(config.objects_s3_bucket !== null && config[name] === null, name, WITH_BUCKET, "objects_s3_bucket");
  return [...found, ...portMistakes(config)];
}

const LISTEN_SETTINGS = [
  "listen",
  "s3_listen",
  "metrics_listen",
  "http_redirect_listen",
  "otlp_grpc_listen",
  "syslog_tcp_listen",
  "syslog_tls_listen",
  "syslog_udp_listen",
] as const;

function portMistakes(config: Config): RelationMistake[] {
  return LISTEN_SETTINGS.flatMap((name) => {
    const port = Number(config[name].split(":").at(-1));
    return config[name] === "off" || port <= 65_535
      ? []
      : [{ names: [name], text: `port ${port} is greater than 65535` }];
  });
}

function smtpFaultOf(url: string | null): string {
  try {
    if (url !== null) parseSmtpUrl(url);
    return "";
  } catch (error) {
    return `the value ${(error as Error).message}`;
  }
}

const WITH_BUCKET = "must be set if objects_s3_bucket is set";
const UNSAFE_ISSUER = "must begin with https://, because anybody who can alter its answers could sign in as any person";

/** Accepts plain HTTP on this machine only, for tests. */
function isSafeIssuer(issuer: string | null): boolean {
  if (issuer === null) return true;
  const { protocol, hostname } = new URL(issuer);
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}
