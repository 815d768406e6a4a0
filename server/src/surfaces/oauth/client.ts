import type { CredentialState, Identity } from "#domain/identity/index.ts";
import type { OauthRequest } from "./model.ts";
import { clientCredentialsOf } from "./wire/client-authentication.ts";

/** The authenticated client, and the trust that replaced its secret. */
export interface Client {
  readonly credential: CredentialState;
  readonly trustId: string | undefined;
}

/**
 * Authenticates the client by its secret or by another issuer's token, and counts the request.
 * @throws OauthError; Problem `unauthorized`, `rate_limited`, `unavailable`
 */
export async function clientOf(identity: Identity, request: OauthRequest): Promise<Client> {
  const { authorization, form, ip, requestId } = request;
  const shown = clientCredentialsOf(authorization, form);
  const client: Client =
    "assertion" in shown
      ? await identity.signIn.authenticateAssertion({ ...shown, ip, requestId })
      : { credential: await identity.signIn.authenticate({ ...shown, ip, requestId }), trustId: undefined };
  request.countSignIn(client.credential);
  return client;
}
