import { principalOfState, type Gate, type UsageLog } from "./credentials/index.ts";
import type { Authenticator } from "./access/index.ts";
import type { TokenVerifier } from "./tokens/index.ts";

export function createAuthenticator(deps: { verifier: TokenVerifier; usage: UsageLog; gate: Gate }): Authenticator {
  return {
    authenticate: async (token, origin) => {
      const { credential, scopes, withheld } = await deps.verifier.verify(token);
      deps.gate.require(credential, origin);
      deps.usage.touch(credential.id);
      return principalOfState(credential, { scopes, withheld });
    },
  };
}
