import { bootstrappedOf, indented, type Stop } from "./context.ts";

interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
}

export const token: Stop = {
  title: "An access token, by both methods of client authentication",
  run: async (context) => {
    const { addresses, credential } = bootstrappedOf(context);
    const url = `${addresses.identity_url}/oauth/token`;
    context.print(indented(`curl -d grant_type=client_credentials -d client_id=… -d client_secret=… ${url}`));
    const { client_id, client_secret } = credential;
    const posted = await tokenFrom(url, { grant_type: "client_credentials", client_id, client_secret }, {});
    const { expires_in, scope, token_type } = posted;
    context.print(indented(`→ ${token_type}, for ${expires_in} s, with ${scope.split(" ").length} scopes`));
    context.print(
      indented(`curl -u client_id:client_secret -d grant_type=client_credentials -d scope=telemetry:read ${url}`),
    );
    const pair = Buffer.from(`${client_id}:${client_secret}`).toString("base64");
    const basic = await tokenFrom(
      url,
      { grant_type: "client_credentials", scope: "telemetry:read" },
      { authorization: `Basic ${pair}` },
    );
    const claims = JSON.parse(
      Buffer.from(basic.access_token.split(".")[1] ?? "", "base64url").toString("utf8"),
    ) as Record<string, unknown>;
    context.print(indented(`→ a JWT that says: ${JSON.stringify(claims)}`));
    context.remember("two access tokens, by client_secret_post and client_secret_basic");
  },
};

async function tokenFrom(
  url: string,
  form: Record<string, string>,
  headers: Record<string, string>,
): Promise<TokenAnswer> {
  const response = await fetch(url, { method: "POST", body: new URLSearchParams(form), headers });
  if (!response.ok) throw new Error(`cannot take a token: ${response.status} ${await response.text()}`);
  return (await response.json()) as TokenAnswer;
}
