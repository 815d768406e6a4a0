import type { Principal } from "#domain/identity/index.ts";
import type { OauthSurfaceDeps } from "./deps.ts";
import type { Answer } from "./errors.ts";
import type { Form } from "./wire/form.ts";

/** A request of this surface, parsed. */
export interface OauthRequest {
  readonly form: Form;
  readonly authorization: string | undefined;
  /** The owner of an access token that was sent instead of a client secret, on routes that accept one. */
  readonly principal: Principal | null;
  /** Counts a sign-in of the authenticated credential. @throws Problem `rate_limited` */
  readonly countSignIn: (credential: { readonly id: string; readonly orgId: string }) => void;
  /** Counts a request without a secret. @throws Problem `rate_limited` */
  readonly countAddress: () => void;
  readonly ip: string;
  readonly requestId: string;
}

export type OauthOperation = (deps: OauthSurfaceDeps, request: OauthRequest) => Promise<Answer> | Answer;
