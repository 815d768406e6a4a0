import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createWorld, type Answer, type World } from "../organization/testing/world.ts";
import { REGISTRY_ROUTES } from "./routes.ts";
import { basicOf, digestOf, newClient, tokenFor, withRegistry, type TestClient } from "./testing/registry.ts";
import type { TargetKind } from "./wire/target.ts";

/**
 * Every route × method × principal, with a token that requested everything and with a password. Cases that are not
 * listed here must be refused.
 */
const PRINCIPALS = ["anonymous", "rival", "nothing", "puller", "pusher", "deleter", "bound", "revoked"] as const;
type PrincipalName = (typeof PRINCIPALS)[number];

/** The principals with each permission in a repository that the organization sees. */
const ALLOWED: Record<string, readonly PrincipalName[]> = {
  pull: ["puller", "pusher", "deleter"],
  push: ["pusher", "deleter"],
  delete: ["deleter"],
};

type Place = Exclude<TargetKind, "base" | "catalog" | "token">;

/** Returns a path whose content exists for reads, and is absent for deletions. */
function pathOf(place: Place, name: string, method: string): string {
  const isRead = method === "GET" || method === "HEAD";
  const rest: Record<Place, string> = {
    blob: `blobs/${digestOf(isRead ? "{}" : "absent")}`,
    uploads: "blobs/uploads/",
    upload: "blobs/uploads/upl_0",
    manifest: `manifests/${isRead ? "present" : "absent"}`,
    tags: "tags/list",
    referrers: `referrers/${digestOf("absent")}`,
  };
  return `/v2/${name}/${rest[place]}`;
}

function isReading(method: string, place: string): boolean {
  return (method === "GET" || method === "HEAD") && place !== "upload";
}

describe("every route of the registry", () => {
  let world: World;
  let open: string;
  let closed: string;
  const absent = "orgs/acme/no-such-app";
  let revoked: string;
  const clients = new Map<PrincipalName, TestClient | undefined>();

  before(async () => {
    world = await createWorld(withRegistry());
    const { acme, rival } = world;
    open = `orgs/acme/${acme.openApp.slug}`;
    closed = `orgs/acme/${acme.closedApp.slug}`;
    const all = ["registry:pull", "registry:push", "registry:delete"] as const;
    clients.set("anonymous", undefined);
    clients.set("rival", await newClient(world, { tenant: rival, scopes: all }));
    clients.set("nothing", await newClient(world, { scopes: ["org:read"] }));
    clients.set("puller", await newClient(world, { scopes: ["registry:pull"] }));
    clients.set("pusher", await newClient(world, { scopes: ["registry:pull", "registry:push"] }));
    clients.set("deleter", await newClient(world, { scopes: all }));
    clients.set("bound", await newClient(world, { scopes: all, projectId: acme.closed.id }));
    await seed(open, clients.get("deleter") as TestClient);
    await seed(closed, clients.get("bound") as TestClient);
    const last = await newClient(world, { scopes: all });
    clients.set("revoked", last);
    revoked = await tokenFor(
      world,
      last,
      ...[open, closed, absent].map((name) => `repository:${name}:pull,push,delete`),
    );
    await world.identity.credentials.revoke({ actor: { kind: "system", id: null, orgId: acme.id } }, last.id);
  });
  after(() => world.close());

  /** Returns the authorization of a principal. A revoked principal's token was issued before the revocation. */
  async function authOf(
    principal: PrincipalName,
    name: string,
    kind: "token" | "password",
  ): Promise<string | undefined> {
    const client = clients.get(principal);
    if (principal === "revoked" && kind === "token") return revoked;
    if (kind === "password") return client === undefined ? undefined : basicOf(client);
    return tokenFor(world, client, `repository:${name}:pull,push,delete`);
  }

  /** Returns whether the answer is a 2xx, or an error about an absent part of the repository or about the body. */
  function isOpen({ status, text }: Answer): boolean {
    return status <= 400 || /BLOB_UPLOAD_UNKNOWN|the repository has no such/.test(text);
  }

  /** Puts an image with the tag `present` into a repository. */
  async function seed(name: string, client: TestClient): Promise<void> {
    const headers = { authorization: await tokenFor(world, client, `repository:${name}:pull,push`) };
    const blob = await world.call("POST", `/v2/${name}/blobs/uploads/?digest=${digestOf("{}")}`, { headers, body: {} });
    const config = { mediaType: "application/json", digest: digestOf("{}"), size: 2 };
    const type = "application/vnd.oci.image.manifest.v1+json";
    const manifest = await world.call("PUT", `/v2/${name}/manifests/present`, {
      headers: { ...headers, "content-type": type },
      body: { schemaVersion: 2, mediaType: type, config, layers: [] },
    });
    assert.deepEqual([blob.status, manifest.status], [201, 201], manifest.text);
  }

  async function ask(method: string, path: string, auth: string | undefined): Promise<Answer> {
    const headers: Record<string, string> = auth === undefined ? {} : { authorization: auth };
    if (method === "PUT" || method === "PATCH") headers["content-type"] = "application/json";
    return world.call(method, path, { headers, ...(method === "PUT" || method === "PATCH" ? { body: {} } : {}) });
  }

  test("has a row for each allowed method", () => {
    const rows = REGISTRY_ROUTES.map(({ method, kind, action }) => `${method} ${kind} ${action}`);
    assert.deepEqual(rows.toSorted(), [
      "DELETE blob delete",
      "DELETE manifest delete",
      "DELETE upload push",
      "GET blob pull",
      "GET manifest pull",
      "GET referrers pull",
      "GET tags pull",
      "GET upload push",
      "HEAD blob pull",
      "HEAD manifest pull",
      "PATCH upload push",
      "POST uploads push",
      "PUT manifest push",
      "PUT upload push",
    ]);
  });

  for (const kind of ["token", "password"] as const) {
    test(`allows by ${kind} only principals with the permission, and hides the repository from others`, async () => {
      for (const principal of PRINCIPALS) {
        for (const { method, kind: place, action } of REGISTRY_ROUTES) {
          const about = `${principal} ${method} ${place} by ${kind}`;
          const answers = new Map<string, Answer>();
          for (const name of [open, closed, absent]) {
            const auth = await authOf(principal, name, kind);
            answers.set(name, await ask(method, pathOf(place as Place, name, method), auth));
          }
          expect(about, { principal, action, method, place }, answers);
        }
      }
    });
  }

  function expect(
    about: string,
    { principal, action, method, place }: { principal: PrincipalName; action: string; method: string; place: string },
    answers: ReadonlyMap<string, Answer>,
  ): void {
    const at = (name: string): Answer => answers.get(name) as Answer;
    const isBound = principal === "bound";
    const mayOpen = ALLOWED[action]?.includes(principal) ?? false;
    // Others can't learn whether the content exists.
    const isIn = (answer: Answer): boolean => (isReading(method, place) ? answer.status === 200 : isOpen(answer));
    assert.equal(isIn(at(open)), mayOpen, `${about}: ${at(open).status} ${at(open).text}`);
    assert.equal(isIn(at(closed)), isBound, `${about} in a private project: ${at(closed).status} ${at(closed).text}`);
    assert.equal(isIn(at(absent)), false, `${about} of nothing: ${at(absent).status} ${at(absent).text}`);
    for (const hidden of isBound ? [open] : [closed]) {
      assert.equal(at(hidden).status, at(absent).status, `${about}: hidden and absent`);
      // The requests run one after the other, and a delay continues meanwhile.
      const timeless = (text: string): string => text.replaceAll(/after \d+ s/g, "after N s");
      const rename = (text: string): string => timeless(text.replaceAll(hidden, absent));
      assert.equal(rename(at(hidden).text), timeless(at(absent).text), `${about}: hidden and absent`);
      assert.equal(
        rename(String(at(hidden).headers.get("www-authenticate"))),
        String(at(absent).headers.get("www-authenticate")),
      );
    }
    for (const answer of answers.values()) assert.notEqual(answer.status, 500, about);
  }

  test("asks a token without the scope, or of another repository, to request it", async () => {
    const pusher = clients.get("pusher");
    for (const scopes of [[], [`repository:${open}:pull`], [`repository:orgs/acme/other:pull,push,delete`]]) {
      const auth = await tokenFor(world, pusher, ...scopes);
      for (const { method, kind: place, action } of REGISTRY_ROUTES) {
        if (scopes.includes(`repository:${open}:pull`) && action === "pull") continue;
        const answer = await ask(method, pathOf(place as Place, open, method), auth);
        assert.equal(answer.status, 401, `${method} ${place}`);
        const challenge = answer.headers.get("www-authenticate") ?? "";
        assert.match(challenge, /error="insufficient_scope"/);
        assert.ok(
          challenge.includes(`scope="repository:${open}:${action === "push" ? "pull,push" : action}"`),
          challenge,
        );
      }
    }
  });

  test("without credentials is a challenge", async () => {
    for (const { method, kind: place } of REGISTRY_ROUTES) {
      const answer = await ask(method, pathOf(place as Place, open, method), undefined);
      assert.equal(answer.status, 401, `${method} ${place}`);
      assert.match(
        answer.headers.get("www-authenticate") ?? "",
        /^Bearer realm="http:\/\/registry\.example:5000\/v2\/token",service="registry\.example:5000",scope=/,
      );
    }
  });

  test("with another method says which it takes", async () => {
    for (const place of ["blob", "uploads", "upload", "manifest", "tags", "referrers"] as const) {
      const rows = REGISTRY_ROUTES.filter((one) => one.kind === place).map(({ method }) => method);
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        if (rows.includes(method)) continue;
        const answer = await ask(method, pathOf(place, open, method), await authOf("deleter", open, "token"));
        assert.equal(answer.status, 405, `${method} ${place}`);
        assert.equal(answer.headers.get("allow"), rows.join(", "));
      }
    }
  });
});
