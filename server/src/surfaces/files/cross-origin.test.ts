/** Requests of pages of other origins: who may read which answer. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ProblemCode } from "#kernel/problem.ts";
import { assertProblem } from "../organization/testing/suite.ts";
import { createWorld, type Answer, type Call, type World } from "../organization/testing/world.ts";
import { contentPath, WITH_FILES } from "./testing/files.ts";

const ACME = "https://app.acme.example";
const RIVAL = "https://app.rival.example";
const STRANGER = "https://stranger.example";
const TUS = { "tus-resumable": "1.0.0" };
const FILE = { filename: "a.txt", content_type: "text/plain" };

describe("pages of other origins", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await createWorld(WITH_FILES);
    token = await world.token();
    await allow(token, [ACME]);
    await allow(await world.token({ tenant: world.rival }), [RIVAL]);
  });
  after(() => world.close());

  async function allow(own: string, origins: readonly string[]): Promise<void> {
    const answer = await world.call("PATCH", "/v1/files/settings", { token: own, body: { allowed_origins: origins } });
    assert.equal(answer.status, 200, answer.text);
  }

  const from = (origin: string, method: string, path: string, call: Call = {}): Promise<Answer> =>
    world.call(method, path, { ...call, headers: { origin, ...call.headers } });

  const preflight = (origin: string, path: string, method = "POST"): Promise<Answer> =>
    from(origin, "OPTIONS", path, {
      headers: {
        "access-control-request-method": method,
        "access-control-request-headers": "authorization,tus-resumable",
      },
    });

  /** No cookie is ever allowed, and every answer says that it depends on the origin. */
  function readable({ headers }: Answer): string | null {
    assert.equal(headers.get("access-control-allow-credentials"), null);
    assert.match(headers.get("vary") ?? "", /\bOrigin\b/);
    return headers.get("access-control-allow-origin");
  }

  test("a preflight is allowed for an origin of any organization, and for no other", async () => {
    for (const path of ["/v1/upload", "/v1/uploads", "/v1/uploads/file_x"]) {
      for (const origin of [ACME, RIVAL]) {
        const answer = await preflight(origin, path);
        assert.equal(answer.status, 204, answer.text);
        assert.equal(readable(answer), origin);
        assert.match(answer.headers.get("access-control-allow-methods") ?? "", /\bPOST\b/);
        assert.equal(answer.headers.get("access-control-allow-headers"), "authorization,tus-resumable");
        assert.equal(answer.headers.get("access-control-max-age"), "600");
      }
      for (const origin of [STRANGER, "null", `${ACME}.evil.example`, "https://acme.example", ACME.toUpperCase()]) {
        const answer = await preflight(origin, path);
        assertProblem(answer, "cross_site");
        assert.equal(readable(answer), null);
        assert.equal(answer.headers.get("access-control-allow-methods"), null);
      }
    }
    const describing = await world.call("OPTIONS", "/v1/uploads");
    assert.deepEqual([describing.status, readable(describing)], [204, null]);
    assert.match(describing.headers.get("tus-extension") ?? "", /creation/);
  });

  test("an answer is readable only if the organization of the token allows the origin", async () => {
    const upload = async (origin: string, own: string): Promise<string | null> => {
      const answer = await from(origin, "POST", "/v1/upload", { token: own, body: FILE });
      assert.equal(answer.status, 200, answer.text);
      return readable(answer);
    };
    const rival = await world.token({ tenant: world.rival });
    assert.equal(await upload(ACME, token), ACME);
    assert.equal(await upload(RIVAL, token), null);
    assert.equal(await upload(ACME, rival), null);
    assert.equal(await upload(RIVAL, rival), RIVAL);
    assert.equal(await upload(STRANGER, token), null);
    assert.equal(readable(await world.call("POST", "/v1/upload", { token, body: FILE })), null);
  });

  test("a resumable upload works, and its fields are exposed", async () => {
    const fields = { ...TUS, "upload-length": "5", "upload-metadata": "filename YS50eHQ=" };
    const made = await from(ACME, "POST", "/v1/uploads", { token, headers: fields });
    assert.equal(made.status, 201, made.text);
    const path = contentPath(made.headers.get("location") ?? "");
    const content = { ...TUS, "upload-offset": "0", "content-type": "application/offset+octet-stream" };
    const answers = [
      made,
      await from(ACME, "PATCH", path, { token, body: "abc", headers: content }),
      await from(ACME, "HEAD", path, { token, headers: TUS }),
    ];
    for (const answer of answers) {
      assert.equal(readable(answer), ACME);
      const exposed = (answer.headers.get("access-control-expose-headers") ?? "").toLowerCase().split(", ");
      for (const [name] of answer.headers)
        if (/^(tus-|upload-|location|etag|request-id|retry-after|ratelimit)/.test(name))
          assert.ok(exposed.includes(name), name);
    }
    assert.equal(readable(await from(RIVAL, "HEAD", path, { token, headers: TUS })), null);
  });

  test("errors are readable by the same rule", async () => {
    const path = "/v1/uploads/file_00000000000000000000000000";
    const refused: [Answer, ProblemCode][] = [
      [await from(ACME, "POST", "/v1/upload", { token, body: {} }), "invalid_body"],
      [await from(ACME, "POST", "/v1/uploads", { token, headers: TUS }), "invalid_request"],
      [await from(ACME, "DELETE", path, { token, headers: TUS }), "not_found"],
      [
        await from(ACME, "POST", "/v1/upload", { token: await world.token({ scopes: ["files:read"] }) }),
        "insufficient_scope",
      ],
      [await from(ACME, "POST", "/v1/uploads", { headers: TUS }), "unauthorized"],
      [await from(ACME, "POST", "/v1/upload", { token: "expired", body: FILE }), "invalid_token"],
      [await from(ACME, "POST", "/v1/uploads", { token }), "precondition_failed"],
    ];
    for (const [answer, code] of refused) {
      assertProblem(answer, code);
      assert.equal(readable(answer), ACME, code);
    }
    for (const origin of [STRANGER, RIVAL])
      assert.equal(readable(await from(origin, "POST", "/v1/upload", { token, body: {} })), null);
    assert.equal(readable(await from(STRANGER, "POST", "/v1/upload", { token: "expired", body: FILE })), null);
  });

  test("an origin that is removed is closed at once", async () => {
    const gone = "https://gone.example";
    await allow(token, [ACME, gone]);
    assert.equal(readable(await from(gone, "POST", "/v1/upload", { token, body: FILE })), gone);
    await allow(token, [ACME]);
    assert.equal(readable(await from(gone, "POST", "/v1/upload", { token, body: FILE })), null);
    assertProblem(await preflight(gone, "/v1/upload"), "cross_site");
  });

  test("nothing else is open to them", async () => {
    for (const path of ["/v1/files", "/v1/files/settings", "/v1/me"]) {
      const answer = await from(ACME, "GET", path, { token });
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get("access-control-allow-origin"), null, path);
      const asked = await preflight(ACME, path, "GET");
      assert.equal(asked.status, 405, path);
      assert.equal(asked.headers.get("access-control-allow-origin"), null, path);
    }
  });
});
