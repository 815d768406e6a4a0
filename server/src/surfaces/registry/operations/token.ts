import { grantAccess, parseScopes, repositoryByName, type Access, type AskedScope } from "#domain/registry/index.ts";
import { FORM_FIELDS_MAX, hasMoreFields } from "#kernel/form.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import { originOf, principalOf, signIn, wrongPassword, type SignedIn as ByPassword } from "../caller.ts";
import { sendJson, type Reply, type Request } from "../exchange.ts";
import type { RegistrySurfaceDeps } from "../deps.ts";
import { parseBasic } from "../wire/basic.ts";
import { RegistryRefusal } from "../refusal.ts";

type State = ByPassword["state"];

/** The caller, and the secret or access token that it sent. */
interface SignedIn extends ByPassword {
  readonly secretId: string | undefined;
}

/**
 * `GET`: issues a token to a user with Basic authentication, or to an anonymous caller (Docker's token specification).
 */
export async function getToken(deps: RegistrySurfaceDeps, request: Request, reply: Reply): Promise<Reply> {
  const query = new URLSearchParams(queryOf(request));
  const signedIn = await byBasic(deps, request, reply);
  const wantsRefresh = query.get("offline_token") === "true";
  return answer(deps, reply, { signedIn, scopes: query.getAll("scope"), wantsRefresh });
}

/** `POST`: issues a token by the OAuth 2 form, with `password` or `refresh_token`. */
export async function postToken(deps: RegistrySurfaceDeps, request: Request, reply: Reply): Promise<Reply> {
  const text = typeof request.body === "string" ? request.body : "";
  if (hasMoreFields(text)) throw new Problem("invalid_request", `The form has more than ${FORM_FIELDS_MAX} fields.`);
  const form = new URLSearchParams(text);
  const signedIn = await byForm(deps, request, reply, form);
  const wantsRefresh = form.get("access_type") === "offline";
  return answer(deps, reply, { signedIn, scopes: form.getAll("scope"), wantsRefresh });
}

async function byBasic(deps: RegistrySurfaceDeps, request: Request, reply: Reply): Promise<SignedIn | undefined> {
  const { authorization } = request.headers;
  if (authorization === undefined || authorization === "") {
    deps.host.countAddress(reply, request.ip);
    return undefined;
  }
  const basic = parseBasic(authorization);
  if (basic === undefined) throw wrongPassword();
  return byPassword(deps, request, reply, basic);
}

async function byForm(
  deps: RegistrySurfaceDeps,
  request: Request,
  reply: Reply,
  form: URLSearchParams,
): Promise<SignedIn> {
  const grant = form.get("grant_type");
  if (grant === "password") {
    const [user, password] = [form.get("username") ?? "", form.get("password") ?? ""];
    return byPassword(deps, request, reply, { user, password });
  }
  if (grant !== "refresh_token")
    throw new RegistryRefusal("UNSUPPORTED", "grant_type must be password or refresh_token", { status: 400 });
  const state = await refreshed(deps, request, form.get("refresh_token") ?? "");
  deps.host.countSignIn(reply, state);
  return { state, secretId: undefined };
}

async function byPassword(
  deps: RegistrySurfaceDeps,
  request: Request,
  reply: Reply,
  { user, password }: { user: string; password: string },
): Promise<SignedIn> {
  const shown = await signIn(deps, request, user, password);
  deps.host.countSignIn(reply, shown.state);
  return { ...shown, secretId: deps.identity.signIn.secretIdOf(shown.state, password) };
}

/** Signs in by a refresh token. It ends with the secret that it was issued for. @throws RegistryError `UNAUTHORIZED` */
async function refreshed(deps: RegistrySurfaceDeps, request: Request, text: string): Promise<State> {
  const token = await deps.tokens.verifyRefresh(text);
  if (token === undefined) throw wrongPassword();
  const state = await deps.identity.present(token.credentialId, token.epoch, originOf(request));
  const secret = state?.secrets.find(({ id }) => id === token.secretId);
  const isLive = secret !== undefined && (secret.expiresAtMs === null || deps.clock.nowMs() < secret.expiresAtMs);
  if (state === undefined || !isLive) throw wrongPassword();
  return state;
}

interface Granting {
  readonly signedIn: SignedIn | undefined;
  readonly scopes: readonly string[];
  readonly wantsRefresh: boolean;
}

/** A refused scope is not an error: the token has the granted scopes, and the registry refuses the rest. */
async function answer(deps: RegistrySurfaceDeps, reply: Reply, granting: Granting): Promise<Reply> {
  const { signedIn, scopes, wantsRefresh } = granting;
  const state = signedIn?.state;
  const access: Access[] = [];
  for (const asked of parseScopes(scopes)) access.push(await accessOf(deps, state, asked));
  const claims = signedIn?.claims;
  const of = { credentialId: state?.id ?? null, epoch: state?.epoch ?? 0, access, trust: claims?.trust };
  const issued = deps.tokens.issue(of, claims?.exp);
  const { token, expiresInS, issuedAtMs } = issued;
  const refresh = wantsRefresh ? refreshOf(deps, signedIn) : {};
  const body = { token, access_token: token, expires_in: expiresInS, issued_at: isoFromMs(issuedAtMs), ...refresh };
  return sendJson(reply.header("cache-control", "no-store"), body);
}

function refreshOf(deps: RegistrySurfaceDeps, signedIn: SignedIn | undefined): { refresh_token?: string } {
  if (signedIn?.secretId === undefined) return {};
  const { state, secretId } = signedIn;
  return { refresh_token: deps.tokens.issueRefresh({ credentialId: state.id, epoch: state.epoch, secretId }) };
}

async function accessOf(
  deps: RegistrySurfaceDeps,
  state: State | undefined,
  { type, name, actions }: AskedScope,
): Promise<Access> {
  const repository = type === "registry" ? undefined : await repositoryByName(deps.metadata.read, name);
  const principal = state === undefined ? null : principalOf(state);
  const granted = grantAccess(principal, { subject: { type, name }, repository }, actions);
  return { type, name, asked: actions, granted };
}

export function queryOf(request: Request): string {
  const at = request.url.indexOf("?");
  return at === -1 ? "" : request.url.slice(at + 1);
}
