import type { OperationContext, Surface } from "#http/index.ts";

/** A request and its answer as the framework has them; presigned URLs are served past the contract's rows. */
export type Request = OperationContext["request"];
export type Reply = OperationContext["reply"];
/** The router to mount routes on. */
export type Mounted = Parameters<Surface["mount"]>[0];
