export { noteBroken } from "./broken.ts";
export type { Compression } from "./compression.ts";
export { preferredType } from "./accept.ts";
export { createAccessLog, noteAccess } from "./access-log.ts";
export type { Accessed, Actor } from "./access-row.ts";
export { countAnswered } from "./activity.ts";
export { principalOf } from "./authentication.ts";
export { watchIdle } from "./body-idle.ts";
export { BODY_LIMITS, createBodyBudget } from "./body-budget.ts";
export { readBody, readBodyPieces } from "./body.ts";
export { clearCookie, cookieOf, SESSION_COOKIE, setCookie } from "./cookies.ts";
export { openToPages, openToSendingPages, preflightFields } from "./cross-origin.ts";
export type { PageOrigins } from "./page-origins.ts";
export { isDisconnect } from "./disconnect.ts";
export { attachmentOf, dispositionAs } from "./disposition.ts";
export { createHealthSurface, HEALTH_ROUTES, type HealthCheck } from "./health.ts";
export { createHttpHost, type HttpHost, type HttpHostOptions } from "./host.ts";
export { idempotencyKeyOf, type IdempotencyRecords, type RecordedAnswer } from "./idempotency.ts";
export { bind, boundAddress, isTaken, listenError, partsOf } from "./bind.ts";
export { openHttp2Listener, type Http2Listener } from "./http2-listener.ts";
export {
  openListener,
  TLS_MIN_VERSION,
  type CertificatePair,
  type Listener,
  type ListenerOptions,
} from "./listener.ts";
export { countedStatus, createHttpMetrics, routeOf, type HttpMetrics } from "./metrics.ts";
export {
  callerOf,
  mountRoute,
  mountRoutes,
  type Operation,
  type OperationContext,
  type OperationInput,
} from "./mount.ts";
export { openApiOf } from "./openapi.ts";
export { watchPeers, type PeerShare } from "./peer-share.ts";
export { fieldsOf, HttpProblem, logFailure, problemOf, PROBLEMS, statusOf } from "./problems.ts";
export { createRateLimiter, type RateLimiter } from "./rate-limit.ts";
export { refusedRequestOf } from "./refusals.ts";
export { DATA_FIELDS } from "./safety.ts";
export { answerProblem, createHttpServer, type HttpServerOptions } from "./server.ts";
export { projectOfRows, senderOf, type Sender } from "./senders.ts";
export type { PersonSession, Sessions } from "./sessions.ts";
export type { ErrorForm, ProtocolAnswer, Surface } from "./surface.ts";
export { bodyCheck } from "./validate.ts";
