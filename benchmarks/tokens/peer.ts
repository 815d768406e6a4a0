import type { AddressInfo } from "node:net";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";

// Does the same work with oidc-provider and its in-memory adapter: issues JWT access tokens (RFC 9068, ES256) by client
// credentials.

const { privateKey } = await generateKeyPair("ES256", { extractable: true });
const jwk = { ...(await exportJWK(privateKey)), alg: "ES256", use: "sig", kid: "bench" };
const resource = "https://api.bench.invalid";

const provider = new Provider("http://127.0.0.1", {
  jwks: { keys: [jwk] },
  clients: [
    {
      client_id: "bench",
      client_secret: "bench-secret-bench-secret-bench-secret-0123456789",
      grant_types: ["client_credentials"],
      id_token_signed_response_alg: "ES256",
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: "client_secret_post",
    },
  ],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      getResourceServerInfo: () => ({
        scope: "telemetry:write",
        audience: resource,
        accessTokenFormat: "jwt",
        jwt: { sign: { alg: "ES256" } },
      }),
    },
  },
});

const answer = provider.callback();
const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`));
