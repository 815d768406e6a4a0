import type { FastifyRequest } from "fastify";
import { isDisconnect } from "./disconnect.ts";
import { noteRefusal, problemOf, statusOf } from "./problems.ts";

/**
 * Notes an answer that broke after its head was sent, unless the caller disconnected. It is kept, logged and counted with
 * the status of its problem, although the caller got the status of a success. Call it before the
 * connection is cut. Returns whether the fault is ours.
 */
export function noteBroken(request: FastifyRequest, error: unknown): boolean {
  if (isDisconnect(error, request.raw)) return false;
  const problem = problemOf(error);
  noteRefusal(request, problem);
  request.problemStatus = statusOf(problem);
  return true;
}
