import type { IncomingMessage } from "node:http";
import type { OperationContext } from "#http/index.ts";
import type { Fields } from "./fields.ts";
import type { Target } from "./target.ts";

/** A request and its answer as the framework has them. */
export type Request = OperationContext["request"];
export type Reply = OperationContext["reply"];

/** A request as it came, read but not yet believed. */
export interface Exchange {
  readonly raw: IncomingMessage;
  readonly method: string;
  readonly target: Target;
  readonly fields: Fields;
  /** Empty for the service. */
  readonly bucket: string;
  /** Empty for the bucket. */
  readonly key: string;
  readonly requestId: string;
  readonly ip: string | null;
  /** Came by TLS, to us or to a proxy that we trust. */
  readonly isSecure: boolean;
  /** Sends 100 Continue to a sender that waits for it (`Expect: 100-continue`). */
  goOn(): void;
}

/** The parameter's value; undefined when it is not there, the first when it is there more than once. */
export function parameterOf(target: Target, name: string): string | undefined {
  return target.query.find((parameter) => parameter.name === name)?.value;
}

export function hasParameter(target: Target, name: string): boolean {
  return target.query.some((parameter) => parameter.name === name);
}
