import type { ResultOf, PORTAL_ROUTES } from "@mooring/contract";
import {
  deviceCookie,
  deviceOf,
  endSession,
  sessionOfSecret,
  type Origin,
  type PeopleDeps,
  type SignInStep,
} from "#domain/people/index.ts";
import { clearCookie, cookieOf, SESSION_COOKIE, setCookie, type OperationContext } from "#http/index.ts";
import { DEVICE_LIFETIME_MS, SESSION_LIFETIME_MS } from "#kernel/limits.ts";
import { DEVICE_COOKIE } from "./origin.ts";

type Reply = OperationContext["reply"];

/** Sets the session cookie, and the device cookie that proves an earlier sign-in. No cache may store the answer. */
export async function sendSession(
  people: PeopleDeps,
  { request, reply }: Pick<OperationContext, "request" | "reply">,
  secret: string,
): Promise<void> {
  setCookie(reply, SESSION_COOKIE, secret, SESSION_LIFETIME_MS / 1000);
  void reply.header("cache-control", "no-store");
  const session = await sessionOfSecret(people, secret);
  if (session === undefined) return;
  const device = deviceCookie(people, deviceOf(people, cookieOf(request, DEVICE_COOKIE)), session.userId);
  setCookie(reply, DEVICE_COOKIE, device, DEVICE_LIFETIME_MS / 1000);
}

export function endCookie(reply: Reply): void {
  clearCookie(reply, SESSION_COOKIE);
  void reply.header("cache-control", "no-store");
}

/** Ends the browser's previous session: the new cookie replaces its cookie. */
export async function endFormer(
  people: PeopleDeps,
  context: Pick<OperationContext, "request">,
  origin: Origin,
): Promise<void> {
  const secret = cookieOf(context.request, SESSION_COOKIE);
  const former = secret === undefined ? undefined : await sessionOfSecret(people, secret);
  if (former !== undefined) await endSession(people, former, { origin, action: "session.end" });
}

/** Answers a step of a sign-in. The last step also sets the cookie. */
export async function answerStep(
  people: PeopleDeps,
  context: OperationContext,
  step: SignInStep,
  origin: Origin,
): Promise<ResultOf<typeof PORTAL_ROUTES.signInWithPassword>> {
  void context.reply.header("cache-control", "no-store");
  if (step.status === "second_factor") return { status: step.status, ticket: step.ticket, methods: [...step.methods] };
  await endFormer(people, context, origin);
  await sendSession(people, context, step.secret);
  return { status: "signed_in", ticket: null, methods: [] };
}
