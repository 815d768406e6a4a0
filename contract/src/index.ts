export * from "./scopes.ts";
export * from "./route.ts";
export * from "./shared.ts";
