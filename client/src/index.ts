export { discover, type Addresses } from "./addresses.ts";
export type { CallInput } from "./call.ts";
export { createClient, type ApiRequest, type Client, type ClientOptions, type Versioned } from "./client.ts";
export { ApiError, UnreachableError } from "./errors.ts";
export { sentEvents, type SentEvent } from "./events.ts";
export { retryDelayMs } from "./retry.ts";
export { sessionTokens } from "./session.ts";
export { clientCredentials, type ClientCredential, type Tokens } from "./tokens.ts";
