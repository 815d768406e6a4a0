import type { IncomingMessage } from "node:http";
import type { OperationContext } from "#http/index.ts";
import type { Fields } from "./fields.ts";
import type { Target } from "./target.ts";

/** The framework's request and answer. */
export type Request = OperationContext["request"];
export type Reply = OperationContext["reply"];

/** A request that was read but not authenticated. */
export interface Exchange {
  readonly raw: IncomingMessage;
  readonly method: string;
  readonly target: Target;
  readonly fields: Fields;
  /** Empty for a request to the service. */
  readonly bucket: string;
  /** Empty for a request to the bucket. */
  readonly key: string;
  readonly requestId: string;
  readonly ip: string | null;
  /** Whether it came over TLS, to this server or to a trusted proxy. */
  readonly isSecure: boolean;
  /** Sends 100 Continue to a sender that waits for it (`Expect: 100-continue`). */
  requestBody(): void;
  /** Notes that the answer broke after its head was sent. */
  noteBroken(error: unknown): void;
}

/** Returns the value of a parameter, the first one if it is repeated; undefined if it is absent. */
export function parameterOf(target: Target, name: string): string | undefined {
  return target.query.find((parameter) => parameter.name === name)?.value;
}

export function hasParameter(target: Target, name: string): boolean {
  return target.query.some((parameter) => parameter.name === name);
}
