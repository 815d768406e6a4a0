export * from "./scopes.ts";
export * from "./route.ts";
export * from "./shared.ts";
export * from "./telemetry.ts";
export { TELEMETRY_SETTINGS_ROUTES } from "./telemetry-settings.ts";
export * from "./query.ts";
export { SAVED_QUERY_ROUTES } from "./saved-queries.ts";
export { ORGANIZATION_ROUTES } from "./organization/index.ts";
export { DISCOVERY_ROUTES, PORTAL_ROUTES, ServiceAddresses } from "./portal.ts";
