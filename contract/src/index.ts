export * from "./address-ranges.ts";
export * from "./scopes.ts";
export * from "./resources.ts";
export * from "./project-states.ts";
export * from "./organization-states.ts";
export * from "./trash-kinds.ts";
export { CUSTOM_ROLE_SCOPES, ORG_ROLE_SCOPES, PROJECT_ROLE_SCOPES } from "./roles.ts";
export * from "./refusals.ts";
export { ENTRY_REFUSALS, ENTRY_REFUSAL_NAMES, REFUSED_ENTRIES_HOURS, type EntryRefusal } from "./refused-entries.ts";
export * from "./route.ts";
export * from "./shared.ts";
export * from "./telemetry.ts";
export { INGEST_MASKS, INGEST_RULE_ACTIONS } from "./ingest-rules.ts";
export { ACCESS_ACTIONS, type AccessAction } from "./access-actions.ts";
export { ACCESS_LOG_MODES, type AccessLogMode } from "./access-log.ts";
export { QUERY_LOG_MODES, type QueryLogMode } from "./query-log.ts";
export { TELEMETRY_SETTINGS_ROUTES } from "./telemetry-settings.ts";
export * from "./query.ts";
export { BUCKET_ROUTES, OBJECT_LINK_LIFETIME_S_MAX, OBJECT_UPLOAD_BYTES_MAX } from "./buckets.ts";
export { ALERT_EVENTS, ALERT_OPERATORS, ALERT_ROUTES, ALERT_STATES } from "./alerts.ts";
export { ALLOWED_ORIGINS_MAX, FILE_ROUTES, FILENAME_BYTES_MAX } from "./files.ts";
export { REGISTRY_API_ROUTES } from "./registry.ts";
export { SAVED_QUERY_ROUTES } from "./saved-queries.ts";
export { RUNNING_QUERY_ROUTES, SLOW_REASONS } from "./running-queries.ts";
export { ORGANIZATION_ROUTES } from "./organization/index.ts";
export { AUDIT_RETENTION_DAYS_MIN } from "./organization/organization.ts";
export { ACTIVITY_SERVICES, type ActivityService } from "./organization/activity.ts";
export { LEAK_KINDS, type LeakKind } from "./organization/leaks.ts";
export { S3_KEY_SCOPES } from "./organization/s3-keys.ts";
export { Plan, type Effects } from "./organization/credential-shapes.ts";
export { ORPHANS, type Orphans } from "./organization/shapes.ts";
export { QUOTA_NEAR, QUOTA_SCOPES } from "./quotas.ts";
export { USAGE_DAYS, USAGE_GROUPS, USAGE_ROUTES } from "./usage.ts";
export {
  DISCOVERY_ROUTES,
  LOGIN_CLIENT_ID,
  OPERATOR_ROUTES,
  PORTAL_ROUTES,
  SERVICE_PREFIXES,
  ServiceAddresses,
  type ApiService,
} from "./portal/index.ts";
export {
  WEBHOOK_HANDSHAKES,
  WEBHOOK_ROUTES,
  WEBHOOK_SCHEMES,
  WEBHOOK_SENDERS,
  type SenderText,
  type WebhookScheme,
  type WebhookSender,
} from "./webhooks/index.ts";
export { API_COMMANDS, commandOf, PUBLIC_OPERATIONS, type ApiCommand, type CommandForm } from "./commands.ts";
