import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bytesStatement,
  crumbsOf,
  fromAddress,
  gatewayMessage,
  idOf,
  inAddress,
  keyFault,
  nameIn,
  objectCommands,
} from "./objects.ts";

test("breadcrumbs have every folder, also those without a name", () => {
  assert.deepEqual(crumbsOf(""), []);
  assert.deepEqual(crumbsOf("a//b/"), [
    { title: "a", prefix: "a/" },
    { title: "", prefix: "a//" },
    { title: "b", prefix: "a//b/" },
  ]);
  assert.deepEqual(crumbsOf("/"), [{ title: "", prefix: "/" }]);
});

test("keys survive the address", () => {
  for (const key of ["", "1", "true", "/x", "../x", "\n"]) assert.equal(fromAddress(inAddress(key)), key);
  assert.equal(fromAddress(undefined), undefined);
  assert.equal(fromAddress("x"), undefined);
});

test("a name is the part after the folder", () => {
  assert.equal(nameIn("a/b", "a/"), "b");
  assert.equal(nameIn("a/", "a/"), "");
});

test("rows of one key are distinguished by kind and version", () => {
  const nothing = { size_bytes: null, etag: null, last_modified: null };
  const version = { key: "a", ...nothing, is_latest: true, version_id: "1" };
  const ids = [
    idOf({ kind: "prefix", key: "a", ...nothing }),
    idOf({ kind: "object", key: "a", ...nothing }),
    idOf({ kind: "version", ...version }),
    idOf({ kind: "version", ...version, version_id: "2" }),
  ];
  assert.equal(new Set(ids).size, 4);
});

test("the limit of a key is 1024 bytes, not characters", () => {
  assert.equal(keyFault("é".repeat(512)), undefined);
  assert.match(keyFault(`${"é".repeat(512)}x`) ?? "", /1025 bytes/);
});

test("commands quote special characters of the shell", () => {
  const [aws = "", rclone = ""] = objectCommands("http://s3", "b", "a/$(rm -rf ~)'x\n..");
  assert.ok(aws.includes(String.raw`'s3://b/a/$(rm -rf ~)'\''x`), aws);
  assert.ok(rclone.startsWith("rclone copyto 'mooring:b/a/$("), rclone);
  assert.deepEqual(objectCommands("http://s3", "b", "../..")[0]?.endsWith(" ./object"), true);
});

test("names are parameters of the statement", () => {
  const { sql, parameters } = bytesStatement("b", "'; DROP");
  assert.ok(!sql.includes("DROP"));
  assert.deepEqual(parameters, { bucket: "b", prefix: "'; DROP" });
});

test("the gateway's message is read from its XML", () => {
  assert.equal(gatewayMessage("<Error><Message>a &lt;b&gt; &amp;lt;</Message></Error>"), "a <b> &lt;");
  assert.equal(gatewayMessage("no"), undefined);
});
