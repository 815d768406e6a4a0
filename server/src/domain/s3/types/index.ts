export * from "./access.ts";
export * from "./buckets.ts";
export * from "./domain.ts";
export * from "./listings.ts";
export * from "./objects.ts";
export * from "./principals.ts";
export * from "./uploads.ts";
