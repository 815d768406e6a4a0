import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setStoredQuota, usageOf } from "#domain/quotas/index.ts";
import { FILE_ROUTES } from "@mooring/contract";
import { FILE_NAMES_COUNTED_MAX } from "#kernel/limits.ts";
import { boundToken, fresh, projectPairs } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import {
  contentPath,
  filePairs,
  filesOf,
  newFile,
  newGrant,
  newTrashed,
  NO_TRASH,
  putContent,
  WITH_FILES,
} from "../testing/files.ts";

testOperation(
  FILE_ROUTES.listFiles,
  {
    ask: async (world) => {
      await newFile(world);
      return { path: "/v1/files?limit=10&offset=0" };
    },
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/files?project=${name}` })),
  },
  WITH_FILES,
);

describe("the list of files", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
    const inside = await world.token({ projectId: world.acme.closed.id });
    await newFile(world, { filename: "theirs" }, await world.token({ tenant: world.rival }));
    await newFile(world, { filename: "one" });
    await newFile(world, { filename: "closed" }, inside);
    for (const filename of ["two", "tee", "t\u{10ffff}x"]) await newFile(world, { filename });
    await newFile(world, { filename: "open", project: "open" });
    await newGrant(world, { filename: "never came" });
  });
  after(() => world.close());

  /** Reads the list page by page. Every page must have the same total. */
  async function names(token: string, query = "", limit = 2): Promise<string[]> {
    const found: string[] = [];
    for (let total = Number.POSITIVE_INFINITY; found.length < total;) {
      const page = await world.call("GET", `/v1/files?limit=${limit}&offset=${found.length}${query}`, { token });
      assert.equal(page.status, 200, page.text);
      const data = page.json["data"] as { files: { filename: string }[]; total: number };
      assert.equal(
        data.files.length,
        Math.min(limit, data.total - found.length),
        `at ${found.length} of ${data.total}`,
      );
      if (total !== Number.POSITIVE_INFINITY) assert.equal(data.total, total);
      total = data.total;
      found.push(...data.files.map((file) => file.filename));
    }
    return found;
  }

  test("has the files that the token reaches, newest first, in pages of any size", async () => {
    const organizations = ["open", "t\u{10ffff}x", "tee", "two", "one"];
    for (const limit of [1, 2, 3, 4, 5, 100])
      assert.deepEqual(await names(await world.token(), "", limit), organizations);
    assert.deepEqual(await names(await world.token(), "&project=open"), ["open"]);
    assert.deepEqual(await names(await boundToken(world)), ["open"]);
    assert.deepEqual(await names(await world.token({ projectId: world.acme.closed.id })), ["closed"]);
    assert.deepEqual(await names(await world.token({ tenant: world.rival })), ["theirs"]);
    const owner = world.person(world.acme, world.acme.people.owner);
    assert.deepEqual(await names(owner), ["open", "t\u{10ffff}x", "tee", "two", "closed", "one"]);
  });

  test("accepts a prefix of the name with any characters", async () => {
    const token = await world.token();
    assert.deepEqual(await names(token, "&prefix=t"), ["t\u{10ffff}x", "tee", "two"]);
    assert.deepEqual(await names(token, "&prefix=te"), ["tee"]);
    assert.deepEqual(await names(token, `&prefix=${encodeURIComponent("t\u{10ffff}")}`), ["t\u{10ffff}x"]);
    for (const prefix of ["%", "_", "T", "theirs", "closed", "'"])
      assert.deepEqual(await names(token, `&prefix=${encodeURIComponent(prefix)}`), [], prefix);
  });

  test("an offset past the end is an empty page", async () => {
    const page = await world.call("GET", "/v1/files?offset=5000000", { token: await world.token() });
    assert.deepEqual(page.json["data"], { files: [], total: 5 });
  });

  test("marks the total of a prefix as a lower bound when not all names were counted", async () => {
    const { id } = world.acme;
    for (const filename of ["many 00001", "many 99999"]) await newFile(world, { filename });
    const fill = async (names: number): Promise<void> => {
      const rows = Array.from({ length: names }, (_, i) => ({
        org_id: id,
        filename: `many ${String(i + 2).padStart(5, "0")}`,
        place: "",
        files: 3,
      }));
      await world.metadata.write(async (tx) => {
        await tx.deleteFrom("file_name").where("files", "=", 3).execute();
        for (let i = 0; i < rows.length; i += 1000)
          await tx
            .insertInto("file_name")
            .values(rows.slice(i, i + 1000))
            .execute();
      });
    };
    const list = async (query: string): Promise<unknown> => {
      const page = await world.call("GET", `/v1/files?prefix=many&limit=1${query}`, { token: await world.token() });
      const { files, ...more } = page.json["data"] as { files: { filename: string }[] };
      return [files.map(({ filename }) => filename), more];
    };
    await fill(FILE_NAMES_COUNTED_MAX - 2);
    assert.deepEqual(await list(""), [["many 99999"], { total: 2 + 3 * (FILE_NAMES_COUNTED_MAX - 2) }]);
    await fill(FILE_NAMES_COUNTED_MAX - 1);
    const total = 1 + 3 * (FILE_NAMES_COUNTED_MAX - 1) + 1;
    assert.deepEqual(await list(""), [["many 99999"], { total, total_is_lower_bound: true }]);
    assert.deepEqual(await list("&offset=1"), [["many 00001"], { total, total_is_lower_bound: true }]);
    assert.deepEqual(await list(`&offset=${total}`), [[], { total, total_is_lower_bound: true }]);
  });
});

const PATH = "/v1/files/names";

testOperation(
  FILE_ROUTES.listFileNames,
  {
    ask: async (world) => {
      await newFile(world);
      return { path: `${PATH}?limit=10` };
    },
    hidden: (world) => projectPairs(world, (name) => ({ path: `${PATH}?project=${name}` })),
  },
  WITH_FILES,
);

describe("the names of files", () => {
  let world: World;
  const newest = new Map<string, string>();
  before(async () => {
    world = await createWorld(WITH_FILES);
    const inside = await world.token({ projectId: world.acme.closed.id });
    await newFile(world, { filename: "theirs" }, await world.token({ tenant: world.rival }));
    await newFile(world, { filename: "b" }, inside);
    for (const filename of ["b", "é", "a", "b", "b", "c"]) newest.set(filename, await newFile(world, { filename }));
    for (const filename of ["b", "b"]) newest.set("b open", await newFile(world, { filename, project: "open" }));
    await newTrashed(world, { filename: "a" });
  });
  after(() => world.close());

  interface Named {
    readonly id: string;
    readonly filename: string;
    readonly project_id: string | null;
    readonly versions: number;
  }

  async function names(token: string, query = "", limit = 100): Promise<Named[]> {
    const found: Named[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = await world.call("GET", `${PATH}?limit=${limit}${after}${query}`, { token });
      assert.equal(page.status, 200, page.text);
      const data = page.json["data"] as { files: Named[]; next_cursor: string | null };
      assert.ok(data.files.length === limit || data.next_cursor === null);
      found.push(...data.files);
      cursor = data.next_cursor;
    }
    return found;
  }

  const shown = (files: Named[]): string[] => files.map(({ filename, versions }) => `${filename} ${versions}`);

  test("are listed once for each place, in order, with the newest file, in pages of any size", async () => {
    const token = await world.token();
    for (const limit of [1, 2, 3, 4, 5, 100])
      assert.deepEqual(shown(await names(token, "", limit)), ["a 1", "b 3", "b 2", "c 1", "é 1"], `${limit} a page`);
    const all = await names(token);
    assert.deepEqual(
      all.map(({ id }) => id),
      ["a", "b", "b open", "c", "é"].map((name) => newest.get(name)),
    );
  });

  test("are those that the token reaches, with the prefix", async () => {
    const token = await world.token();
    assert.deepEqual(shown(await names(token, "&prefix=b")), ["b 3", "b 2"]);
    assert.deepEqual(shown(await names(token, "&project=open")), ["b 2"]);
    assert.deepEqual(shown(await names(await boundToken(world))), ["b 2"]);
    assert.deepEqual(shown(await names(await world.token({ projectId: world.acme.closed.id }))), ["b 1"]);
    assert.deepEqual(shown(await names(await world.token({ tenant: world.rival }))), ["theirs 1"]);
    assertProblem(await world.call("GET", `${PATH}?cursor=nonsense`, { token }), "invalid_parameter");
  });
});

describe("getFileDownload", () => {
  const path = (id: string): string => `/v1/files/${id}/download`;

  testOperation(
    FILE_ROUTES.getFileDownload,
    {
      ask: async (world) => ({ path: path(await newFile(world)) }),
      hidden: (world) => filePairs(world, (id) => ({ path: path(id) })),
    },
    WITH_FILES,
  );

  describe("a link with a chosen lifetime", () => {
    let world: World;
    before(async () => {
      world = await createWorld(WITH_FILES);
    });
    after(() => world.close());

    test("works for that time without a token, and no longer", async () => {
      const token = await world.token();
      const { clock } = filesOf(world);
      const link = async (query: string): Promise<{ download_url: string; expires_in: number }> => {
        const answer = await world.call("GET", path(id) + query, { token });
        assert.equal(answer.status, 200, answer.text);
        return answer.json["data"] as { download_url: string; expires_in: number };
      };
      const id = await newFile(world, {}, token);
      assert.equal((await link("")).expires_in, 900);
      for (const seconds of [60, 604_800]) {
        const { download_url: url, expires_in } = await link(`?expires_in=${seconds}`);
        assert.equal(expires_in, seconds);
        clock.advance((seconds - 5) * 1000);
        assert.equal((await world.call("GET", contentPath(url), {})).status, 200);
        clock.advance(7000);
        assertProblem(await world.call("GET", contentPath(url), {}), "presigned_url_expired");
      }
    });

    test("is refused outside of the limits", async () => {
      const token = await world.token();
      const id = await newFile(world, {}, token);
      for (const seconds of ["59", "604801", "0", "-60", "1.5e9", "90.5", "x"])
        assertProblem(await world.call("GET", `${path(id)}?expires_in=${seconds}`, { token }), "invalid_parameter");
    });
  });
});

describe("copyFile", () => {
  const path = (id: string): string => `/v1/files/${id}/copy`;
  const body = { filename: "copy.txt" };

  testOperation(
    FILE_ROUTES.copyFile,
    {
      ask: async (world) => ({ path: path(await newFile(world)), body }),
      hidden: (world) => filePairs(world, (id) => ({ path: path(id), body })),
      problems: {
        storage_quota_exceeded: async (world) => {
          const tenant = await world.tenant(fresh("tenant"));
          await setStoredQuota(filesOf(world), "files", tenant.id, 10);
          const token = await world.token({ tenant });
          return { path: path(await newFile(world, {}, token)), body, token };
        },
      },
    },
    WITH_FILES,
  );

  describe("copying a file", () => {
    let world: World;
    before(async () => {
      world = await createWorld(WITH_FILES);
    });
    after(() => world.close());

    test("makes an old version the newest one, and keeps the content while either exists", async () => {
      const token = await world.token();
      const { clock, objects } = filesOf(world);
      const old = await newFile(world, { filename: "v.txt", project: "open" }, token, "x".repeat(99_998));
      await newFile(world, { filename: "v.txt", project: "open" }, token, "new");
      const answer = await world.call("POST", path(old), { token, body: {} });
      assert.equal(answer.status, 201, answer.text);
      const copy = answer.json["data"] as Record<string, unknown>;
      assert.deepEqual(
        [copy["filename"], copy["size_bytes"], copy["project_id"]],
        ["v.txt", 100_000, world.acme.open.id],
      );
      const versions = await world.call("GET", `/v1/files/${old}/versions`, { token });
      const { files, total } = versions.json["data"] as { files: { id: string }[]; total: number };
      assert.deepEqual([total, files[0]?.id, files[2]?.id], [3, copy["id"], old]);
      assert.equal((await usageOf(world.metadata.read, "files", { org_id: world.acme.id })).bytes, 200_005);
      for (const gone of [old, String(copy["id"])]) {
        const grant = await world.call("GET", `/v1/files/${String(copy["id"])}/download`, { token });
        const { download_url: url } = grant.json["data"] as { download_url: string };
        assert.equal((await world.call("GET", contentPath(url), {})).text.length, 100_000);
        assert.equal((await world.call("DELETE", `/v1/files/${gone}?permanent=true`, { token })).status, 204);
        clock.advance(2000);
        assert.equal((await objects.collect()).bytes, gone === old ? 0 : 100_000);
      }
      const audit = await world.call("GET", "/v1/audit?action=file.copy", { token });
      const [entry] = audit.json["items"] as { detail: Record<string, unknown> }[];
      assert.equal(entry?.detail["from"], old);
    });

    test("needs the permission to read, and a valid name", async () => {
      const token = await world.token();
      const id = await newFile(world, {}, token);
      const writing = await world.token({ scopes: ["files:write"] });
      assertProblem(await world.call("POST", path(id), { token: writing, body: {} }), "insufficient_scope");
      for (const filename of ["", "a\nb", "é".repeat(128), "\ud83d"])
        assertProblem(await world.call("POST", path(id), { token, body: { filename } }), "invalid_body");
    });
  });
});

describe("deleteFile", () => {
  const path = (id: string): string => `/v1/files/${id}`;

  testOperation(
    FILE_ROUTES.deleteFile,
    {
      ask: async (world) => ({ path: path(await newFile(world)) }),
      hidden: (world) => filePairs(world, (id) => ({ path: path(id) })),
    },
    WITH_FILES,
  );

  describe("deleting a file", () => {
    let world: World;
    before(async () => {
      world = await createWorld(WITH_FILES);
    });
    after(() => world.close());

    test("for good releases its content and its bytes, and is in the audit log", async () => {
      const token = await world.token();
      const id = await newFile(world, { filename: "geheim.txt" }, token, "x".repeat(100_000));
      const { objects, clock } = filesOf(world);
      const { blob_id } = await world.metadata.read
        .selectFrom("file")
        .select("blob_id")
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      assert.equal((await world.call("DELETE", `${path(id)}?permanent=true`, { token })).status, 204);
      assertProblem(await world.call("DELETE", path(id), { token }), "not_found");
      clock.advance(2000);
      assert.equal((await objects.collect()).blobs, 1);
      await assert.rejects(objects.open(world.acme.id, blob_id), { code: "not_found" });
      assert.deepEqual(await usageOf(world.metadata.read, "files", { org_id: world.acme.id }), {
        files: 0,
        bytes: 0,
        grants: 0,
        reserved: 0,
        ...NO_TRASH,
      });
      const audit = await world.call("GET", "/v1/audit?action=file.delete", { token });
      const [entry] = audit.json["items"] as { target: object; detail: Record<string, unknown> }[];
      assert.deepEqual(entry?.target, { kind: "file", id });
      assert.equal(entry?.detail["filename"], "geheim.txt");
      assert.equal(entry?.detail["restorable_until"], null);
      const trash = await world.call("GET", "/v1/files/trash", { token });
      assert.equal((trash.json["data"] as { total: number }).total, 0);
    });

    test("into the trash ends the file and its URLs everywhere, and keeps its content", async () => {
      const token = await world.token();
      const id = await newFile(world, { filename: "kept.txt" }, token, "x".repeat(98));
      const grant = await world.call("GET", `${path(id)}/download`, { token });
      const { download_url: url } = grant.json["data"] as { download_url: string };
      assert.equal((await world.call("DELETE", path(id), { token })).status, 204);
      for (const answer of [
        await world.call("DELETE", path(id), { token }),
        await world.call("DELETE", `${path(id)}?permanent=true`, { token }),
        await world.call("GET", `${path(id)}/download`, { token }),
        await world.call("GET", `${path(id)}/versions`, { token }),
        await world.call("POST", `${path(id)}/copy`, { token, body: {} }),
        await world.call("GET", contentPath(url), {}),
      ])
        assertProblem(answer, "not_found");
      const list = await world.call("GET", "/v1/files?prefix=kept", { token });
      assert.deepEqual(list.json["data"], { files: [], total: 0 });
      assert.deepEqual(await usageOf(world.metadata.read, "files", { org_id: world.acme.id }), {
        files: 0,
        bytes: 0,
        grants: 0,
        reserved: 0,
        trashed_files: 1,
        trashed_bytes: 100,
      });
      const audit = await world.call("GET", "/v1/audit?action=file.delete&limit=1", { token });
      const [entry] = audit.json["items"] as { detail: Record<string, unknown> }[];
      assert.match(String(entry?.detail["restorable_until"]), /^\d{4}-/);
    });

    test("aborts an unfinished upload", async () => {
      const token = await world.token();
      const grant = await newGrant(world, { size_bytes: 7 }, token);
      assert.equal((await usageOf(world.metadata.read, "files", { org_id: world.acme.id })).reserved, 7);
      assert.equal((await world.call("DELETE", path(grant.file_id), { token })).status, 204);
      assert.equal((await usageOf(world.metadata.read, "files", { org_id: world.acme.id })).reserved, 0);
      assertProblem(await putContent(world, grant.upload_url, "12345"), "conflict");
    });
  });
});
