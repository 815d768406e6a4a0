import { LOGIN_TOKEN_PREFIX, loginOfToken } from "#domain/people/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { OperatorDeps } from "./caller.ts";
import { isOperator } from "./store.ts";
import { OPERATOR_TOKEN_PREFIX, operatorTokenOf } from "./tokens.ts";

/** The operator who sent an access token. */
interface Acting {
  readonly actor: { readonly kind: "person" | "credential"; readonly id: string; readonly via?: string };
  /** Null: a program, which can prove nothing. */
  readonly confirmedAtMs: number | null;
}

/**
 * Authenticates an operator by an operator token, or by a login of the command line. The role is read at every request. A
 * suspension of the login's organization does not matter, because the operator must be able to end it.
 * @throws Problem `invalid_token`, `forbidden`, `unavailable`
 */
export async function authenticateOperator(deps: OperatorDeps, token: string): Promise<Acting> {
  if (token.startsWith(OPERATOR_TOKEN_PREFIX)) {
    const { id } = await operatorTokenOf(deps, token);
    return { actor: { kind: "credential", id }, confirmedAtMs: null };
  }
  if (!token.startsWith(LOGIN_TOKEN_PREFIX))
    throw new Problem("invalid_token", "Send an operator token, or the token of a login (mooring login).");
  const { id: via, user_id: id, confirmed_at: confirmedAtMs } = await loginOfToken(deps, token);
  if (!(await isOperator(deps.metadata.read, id)))
    throw new Problem("forbidden", "Only operators of this server may do this.");
  return { actor: { kind: "person", id, via }, confirmedAtMs };
}
