import type { UsageLog } from "./credentials/index.ts";
import type { Authenticator } from "./access/index.ts";
import type { TokenVerifier } from "./tokens/index.ts";

/** Access tokens to principals. */
export function createAuthenticator(deps: { verifier: TokenVerifier; usage: UsageLog }): Authenticator {
  return {
    authenticate: async (token) => {
      const { credential, scopes } = await deps.verifier.verify(token);
      deps.usage.touch(credential.id);
      const { id, clientId, orgId, orgSlug, projectId, projectArchived } = credential;
      return { kind: "credential", id, clientId, orgId, orgSlug, projectId, projectArchived, scopes };
    },
  };
}
