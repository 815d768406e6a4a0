import type { OperationContext, Surface } from "#http/index.ts";

/** The framework's request and answer. Presigned URLs are not rows of the contract. */
export type Request = OperationContext["request"];
export type Reply = OperationContext["reply"];
/** The router to mount routes on. */
export type Mounted = Parameters<Surface["mount"]>[0];
