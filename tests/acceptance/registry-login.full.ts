/**
 * Logging in to the container registry: tokens of Docker's specification, passwords, and the errors of refused clients.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { basic } from "../fixtures/http.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import {
  digestOf,
  errorOf,
  newClient,
  newRepository,
  registryRefused,
  registryToken,
  repositoryOf,
  repositoryWith,
  send,
  type RegistryAnswer,
  type TokenAnswer,
} from "../fixtures/registry.ts";
import { RELAXED, sharedServer, useSharedServer, type Client } from "../fixtures/server.ts";

let name: string;
const shared = useSharedServer(async ({ server, token }) => {
  name = await newRepository(server, token);
});

const domain = (): string => new URL(shared.server.origin).host;
const form = { "content-type": "application/x-www-form-urlencoded" };

function ask(query: string, client?: Client): Promise<RegistryAnswer> {
  const auth = client === undefined ? undefined : basic(client.client_id, client.client_secret).authorization;
  return send(shared.server.origin, "GET", `/v2/token?${query}`, { auth });
}

function post(fields: Record<string, string>): Promise<RegistryAnswer> {
  return send(shared.server.origin, "POST", "/v2/token", {
    headers: form,
    body: new URLSearchParams(fields).toString(),
  });
}

function bodyOf(answer: RegistryAnswer): TokenAnswer {
  assert.equal(answer.status, 200, answer.content.toString());
  return JSON.parse(answer.content.toString()) as TokenAnswer;
}

function base(auth?: string): Promise<RegistryAnswer> {
  return send(shared.server.origin, "GET", "/v2/", { auth });
}

test("the base always challenges without credentials, and accepts a login", async () => {
  const answer = await base();
  registryRefused(answer, 401, "UNAUTHORIZED");
  const { host } = new URL(shared.server.origin);
  assert.equal(answer.headers["www-authenticate"], `Bearer realm="http://${host}/v2/token",service="${host}"`);
  const { credential } = shared.home;
  const body = bodyOf(await ask(`account=x&client_id=docker&offline_token=true&service=${host}`, credential));
  assert.equal(body.token, body.access_token);
  assert.equal(body.expires_in, 300);
  assert.match(body.issued_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  for (const auth of [`Bearer ${body.token}`, basic(credential.client_id, credential.client_secret).authorization]) {
    const inside = await base(auth);
    assert.equal(inside.status, 200);
    assert.equal(inside.content.toString(), "{}");
  }
  assert.equal(
    (await base(await registryToken(shared.server.origin, [`repository:${name}:pull`]))).status,
    401,
    "an anonymous caller is not signed in",
  );
});

test("the realm has the client's host name", async () => {
  const answer = await send(shared.server.origin, "GET", "/v2/", { headers: { host: "localhost:9999" } });
  assert.match(String(answer.headers["www-authenticate"]), /realm="http:\/\/localhost:9999\/v2\/token"/);
  for (const host of ['evil"host', "a b", "x/y"]) {
    const other = await send(shared.server.origin, "GET", "/v2/", { headers: { host } }).catch(() => undefined);
    if (other?.status === 401) assert.doesNotMatch(String(other.headers["www-authenticate"]), /evil|a b|x\/y/);
  }
});

test("tokens by POST: password and refresh, in the specification's OAuth form", async () => {
  const { client_id: username, client_secret: password } = shared.home.credential;
  const scope = `repository:${name}:pull,push`;
  const first = bodyOf(
    await post({
      grant_type: "password",
      service: domain(),
      client_id: "containerd",
      scope,
      username,
      password,
      access_type: "offline",
    }),
  );
  assert.equal(
    (await repositoryWith(shared.server, name, `Bearer ${first.token}`).call("GET", "tags/list")).status,
    200,
  );
  const again = bodyOf(
    await post({ grant_type: "refresh_token", service: domain(), scope, refresh_token: first.refresh_token ?? "" }),
  );
  assert.equal(
    (await repositoryWith(shared.server, name, `Bearer ${again.token}`).call("POST", "blobs/uploads/")).status,
    202,
  );
  registryRefused(
    await post({ grant_type: "password", username, password: `${password}x` }),
    401,
    "UNAUTHORIZED",
    "incorrect username or password",
  );
  registryRefused(await post({ grant_type: "authorization_code" }), 400, "UNSUPPORTED");
  registryRefused(await post({}), 400, "UNSUPPORTED");
  for (const refresh_token of ["", "x", first.token, `${first.refresh_token}x`])
    registryRefused(await post({ grant_type: "refresh_token", refresh_token }), 401, "UNAUTHORIZED");
  assert.equal((await base(`Bearer ${first.refresh_token}`)).status, 401, "a refresh token is not an access token");
});

test("a token has the permitted part of the requested scopes, and is never refused", async () => {
  const puller = await newClient(shared.server, shared.token, ["registry:pull"]);
  const repository = await repositoryOf(shared.server, puller, name, "push,pull");
  assert.equal((await repository.call("GET", "tags/list")).status, 200);
  registryRefused(
    await repository.call("POST", "blobs/uploads/"),
    403,
    "DENIED",
    `${puller.client_id} may not push to ${name}`,
  );
  for (const scope of [
    "nonsense",
    "repository:",
    "repository::",
    "registry:catalog:*",
    `repository(plugin):${name}:pull`,
    `repository:${name}:fly`,
    `repository:${"x".repeat(5000)}:pull`,
    "",
  ])
    bodyOf(await ask(new URLSearchParams({ scope }).toString(), puller));
  const many = Array.from({ length: 150 }, (_, i) => [
    "scope",
    `repository:orgs/${shared.home.org.slug}/app-${i}:pull,push`,
  ]);
  assert.ok(
    bodyOf(
      await ask(new URLSearchParams(many.map(([k, v]): [string, string] => [String(k), String(v)])).toString(), puller),
    ).token.length < 14_000,
  );
});

test("scopes are repeated or in a list, and names may have a port", async () => {
  const { credential } = shared.home;
  const other = await newRepository(shared.server, shared.token);
  const list = `repository:${name}:pull repository:${other}:pull,push`;
  const auth = `Bearer ${bodyOf(await ask(new URLSearchParams({ scope: list }).toString(), credential)).token}`;
  for (const one of [name, other])
    assert.equal((await repositoryWith(shared.server, one, auth).call("GET", "tags/list")).status, 200);
  const answer = await repositoryWith(shared.server, name, auth).call("POST", "blobs/uploads/");
  assert.equal(answer.status, 401, "a scope that was not requested gets a challenge");
  assert.match(String(answer.headers["www-authenticate"]), /error="insufficient_scope"/);
  assert.equal((await repositoryWith(shared.server, other, auth).call("POST", "blobs/uploads/")).status, 202);
});

test("a wrong password gets an error that clients print", async () => {
  const { client_id } = shared.home.credential;
  for (const auth of [
    basic(client_id, "wrong"),
    basic("nobody", "x"),
    basic("", ""),
    { authorization: "Basic !!!" },
    { authorization: "Bearer x" },
  ])
    registryRefused(
      await send(shared.server.origin, "GET", "/v2/token", { auth: auth.authorization }),
      401,
      "UNAUTHORIZED",
      "incorrect username or password",
    );
});

test("the errors of refused clients", async () => {
  const { server, home } = shared;
  const message = (reason: string): string => `requested access to the resource is denied: ${reason}`;
  const wrong = `image name must be ${domain()}/orgs/{org}/{app}`;
  for (const bad of ["foo/bar", "checkout", "orgs/acme", "orgs/acme/a/b", "orgs/Acme/App", "library/nginx"]) {
    const client = await repositoryOf(server, home.credential, bad, "pull,push");
    assert.equal((await client.call("HEAD", `blobs/${digestOf("x")}`)).status, 404, bad);
    assert.equal((await client.call("HEAD", "manifests/v1")).status, 404, bad);
    for (const [method, rest] of [
      ["POST", "blobs/uploads/"],
      ["PUT", "manifests/v1"],
      ["PATCH", "blobs/uploads/x"],
    ] as const)
      registryRefused(await client.call(method, rest, { body: "x" }), 403, "DENIED", message(wrong));
    const pull = await repositoryOf(server, home.credential, bad, "pull");
    registryRefused(await pull.call("GET", "manifests/v1"), 403, "DENIED", message(wrong));
    const head = await pull.call("HEAD", "manifests/v1");
    assert.equal(head.status, 401);
    assert.match(
      String(head.headers["www-authenticate"]),
      /error="insufficient_scope",error_description="requested access to the resource is denied: image name must be/,
    );
  }
  const nobody = repositoryWith(server, name, await registryToken(server.origin, [`repository:${name}:pull,push`]));
  registryRefused(
    await nobody.call("POST", "blobs/uploads/"),
    403,
    "DENIED",
    message(`authentication required, run "docker login ${domain()}"`),
  );
  const absentName = `orgs/${home.org.slug}/no-such-app`;
  const absent = await repositoryOf(server, home.credential, absentName, "pull,push");
  registryRefused(
    await absent.call("POST", "blobs/uploads/"),
    403,
    "DENIED",
    message(`${home.credential.client_id} may not push to ${absentName}`),
  );
});

test("tokens of one service are invalid for the others", async () => {
  const { server, token, home } = shared;
  registryRefused(await base(`Bearer ${token}`), 401, "UNAUTHORIZED");
  registryRefused(await repositoryWith(server, name, `Bearer ${token}`).call("GET", "tags/list"), 401, "UNAUTHORIZED");
  const registry = await registryToken(server.origin, [`repository:${name}:pull`], home.credential);
  for (const path of ["/v1/apps", "/v1/files", "/v1/registry/repositories"]) {
    const answer = await server.call("GET", path, { headers: { authorization: registry } });
    assert.equal(answer.status, 401, path);
    assert.equal(answer.body["code"], "invalid_token");
  }
});

test("altered tokens, and those of another installation, are refused", async () => {
  const { server, home } = shared;
  const token = (await registryToken(server.origin, [`repository:${name}:pull`], home.credential)).slice(7);
  const [kind = "", payload = "", mac = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const none = encode({ alg: "none", typ: "JWT" });
  const forged = [
    `${kind}.${encode({ ...claims, exp: 9_999_999_999 })}.${mac}`,
    `${kind}.${payload}.`,
    `${kind}.${payload}`,
    `mrrr.${payload}.${mac}`,
    `${none}.${payload}.`,
    `${kind}.${payload}.${"A".repeat(43)}`,
    `${kind}.${payload}.${mac}.x`,
    "x".repeat(20_000).slice(0, 9000),
    "..",
  ];
  const other = await sharedServer(RELAXED);
  const { credential } = await other.bootstrap();
  forged.push((await registryToken(other.origin, [`repository:${name}:pull`], credential)).slice(7));
  for (const text of forged) {
    const answer = await repositoryWith(server, name, `Bearer ${text}`).call("GET", "tags/list");
    registryRefused(answer, 401, "UNAUTHORIZED");
    assert.match(String(answer.headers["www-authenticate"]), /error="invalid_token"/);
  }
});

test("a revoked credential is refused at once, with its tokens, its refresh tokens and its password", async () => {
  const { server, token } = shared;
  const client = await newClient(server, token, ["registry:pull", "registry:push"]);
  const auth = await registryToken(server.origin, [`repository:${name}:pull`], client);
  const { refresh_token } = bodyOf(await ask("offline_token=true", client));
  assert.equal((await repositoryWith(server, name, auth).call("GET", "tags/list")).status, 200);
  assert.equal((await server.call("DELETE", `/v1/credentials/${client.id}`, { token })).status, 200);
  registryRefused(await repositoryWith(server, name, auth).call("GET", "tags/list"), 401, "UNAUTHORIZED");
  registryRefused(await ask("", client), 401, "UNAUTHORIZED");
  registryRefused(await post({ grant_type: "refresh_token", refresh_token: refresh_token ?? "" }), 401, "UNAUTHORIZED");
  registryRefused(await base(basic(client.client_id, client.client_secret).authorization), 401, "UNAUTHORIZED");
});

test("a refresh token ends with the secret that it came from", async () => {
  const { server, token } = shared;
  const client = await newClient(server, token, ["registry:pull"]);
  const { refresh_token = "" } = bodyOf(await ask("offline_token=true", client));
  bodyOf(await post({ grant_type: "refresh_token", refresh_token }));
  const rotated = await server.call<Client>("POST", `/v1/credentials/${client.id}/rotate`, {
    token,
    json: { overlap_seconds: 1 },
  });
  assert.equal(rotated.status, 200, rotated.text);
  await eventually("the old secret to end", async () =>
    (await post({ grant_type: "refresh_token", refresh_token })).status === 401 ? true : null,
  );
  bodyOf(await ask("", { client_id: client.client_id, client_secret: rotated.body.client_secret }));
});

test("guesses are slowed down, by token and by password alike", async () => {
  const client = await newClient(shared.server, shared.token, ["registry:pull"]);
  const wrong = basic(client.client_id, `${client.client_secret.slice(0, -1)}x`).authorization;
  const answers: RegistryAnswer[] = [];
  for (let i = 0; i < 14; i++)
    answers.push(await send(shared.server.origin, "GET", i % 2 === 0 ? "/v2/token" : "/v2/", { auth: wrong }));
  const last = answers.at(-1) as RegistryAnswer;
  assert.equal(last.status, 429);
  assert.equal(errorOf(last).code, "TOOMANYREQUESTS");
  assert.ok(Number(last.headers["retry-after"]) > 0);
});

test("a public repository is pulled by anybody, and pushed only by the same clients as before", async () => {
  const { server, token, home } = shared;
  const owner = await repositoryOf(server, home.credential, await newRepository(server, token));
  const image = await owner.image(["layer"], { tag: "v1" });
  const slug = owner.name.split("/")[2];
  const at = `/v1/registry/repositories/${slug}`;
  assert.equal((await server.call("PATCH", at, { token, json: { public: true } })).status, 200);
  const anonymous = repositoryWith(
    server,
    owner.name,
    await registryToken(server.origin, [`repository:${owner.name}:pull,push`]),
  );
  for (const auth of [anonymous.auth, undefined]) {
    assert.equal((await anonymous.call("GET", `manifests/${image}`, { auth })).status, 200);
    assert.equal((await anonymous.call("GET", `blobs/${digestOf("layer")}`, { auth })).status, 200);
    assert.equal((await anonymous.call("GET", "tags/list", { auth })).status, 200);
  }
  registryRefused(await anonymous.call("POST", "blobs/uploads/"), 403, "DENIED", "docker login");
  registryRefused(await anonymous.call("POST", "blobs/uploads/", { auth: undefined }), 401, "UNAUTHORIZED");
  assert.equal((await base()).status, 401, "the base still challenges");
  assert.equal((await server.call("PATCH", at, { token, json: { public: false } })).status, 200);
  registryRefused(await anonymous.call("GET", `manifests/${image}`, { auth: undefined }), 401, "UNAUTHORIZED");
  assert.notEqual((await anonymous.call("GET", `manifests/${image}`)).status, 200, "older tokens end with it");
});

test("the catalog lists the repositories that the caller may pull and that have images", async () => {
  const { server, token, home } = shared;
  const names = async (client: Client, query = ""): Promise<string[]> => {
    const answer = await send(server.origin, "GET", `/v2/_catalog${query}`, {
      auth: basic(client.client_id, client.client_secret).authorization,
    });
    assert.equal(answer.status, 200);
    return (JSON.parse(answer.content.toString()) as { repositories: string[] }).repositories;
  };
  const full = [
    await newRepository(server, token, { slug: "catalog-a" }),
    await newRepository(server, token, { slug: "catalog-b" }),
  ];
  const empty = await newRepository(server, token);
  for (const one of full) await (await repositoryOf(server, home.credential, one)).image(["x"]);
  const all = await names(home.credential);
  for (const one of full) assert.ok(all.includes(one));
  assert.ok(!all.includes(empty));
  assert.deepEqual(await names(home.credential, `?n=1&last=${full[0]}`), [full[1]]);
  assert.deepEqual(await names(await newClient(server, token, ["files:read"])), []);
  assert.equal((await send(server.origin, "GET", "/v2/_catalog")).status, 401);
});

test("a person logs in with their e-mail address and a personal access token, created on the server's machine", async () => {
  const { server, home } = shared;
  const { email } = home.owner;
  const words = ["token", "create", email, "--org", home.org.slug, "--name", "laptop", "--scope", "registry:pull"];
  const outcome = await mooring([...words, "--data-dir", server.dataDir, "--json"], {
    environment: server.environment,
  });
  assert.equal(outcome.code, 0, outcome.stderr);
  const { id, token } = JSON.parse(outcome.stdout) as { id: string; token: string };
  const person = { client_id: email, client_secret: token };
  const body = bodyOf(await ask(`scope=repository:${name}:pull,push`, person));
  const upload = `/v2/${name}/blobs/uploads/`;
  const push = await send(server.origin, "POST", upload, { auth: `Bearer ${body.token}` });
  registryRefused(push, 403, "DENIED");
  assert.ok(push.content.toString().includes(`${email} may not push to`), push.content.toString());
  assert.equal(
    (await send(server.origin, "GET", `/v2/${name}/tags/list`, { auth: `Bearer ${body.token}` })).status,
    200,
  );
  const refresh = await ask(`offline_token=true&service=x&scope=repository:${name}:pull`, person);
  const { refresh_token: refreshToken = "" } = bodyOf(refresh);
  assert.equal((await post({ grant_type: "refresh_token", refresh_token: refreshToken })).status, 200);
  const api = await server.call("DELETE", `/v1/credentials/${id}`, { token: shared.token });
  assert.equal(api.status, 200, api.text);
  registryRefused(await ask("", person), 401, "UNAUTHORIZED");
  assert.equal((await post({ grant_type: "refresh_token", refresh_token: refreshToken })).status, 401);
  const unknown = await mooring(
    ["token", "create", "nobody@example.com", ...words.slice(3), "--data-dir", server.dataDir],
    {
      environment: server.environment,
    },
  );
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /nobody@example\.com is not a member of/);
});
