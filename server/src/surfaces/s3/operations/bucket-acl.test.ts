import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const ALL = "http://acs.amazonaws.com/groups/global/AllUsers";

test("opens a bucket by a canned list, by grants, and by a document", async () => {
  const { gateway, bucket } = shared;
  const get = async (): Promise<string[]> =>
    texts(succeeded(await gateway.call("GET", `/${bucket}?acl`)), "Permission");
  assert.deepEqual(await get(), ["FULL_CONTROL"]);
  refused(await gateway.call("GET", `/${bucket}`, { sign: false }), "AccessDenied", 403);
  succeeded(await gateway.call("PUT", `/${bucket}?acl`, { headers: { "x-amz-acl": "public-read" } }), 200);
  assert.deepEqual(await get(), ["READ", "FULL_CONTROL"]);
  succeeded(await gateway.call("GET", `/${bucket}`, { sign: false }));
  const document = (await gateway.call("GET", `/${bucket}?acl`)).text;
  succeeded(await gateway.call("PUT", `/${bucket}?acl`, { headers: { "x-amz-acl": "private" } }));
  refused(await gateway.call("GET", `/${bucket}`, { sign: false }), "AccessDenied", 403);
  succeeded(await gateway.call("PUT", `/${bucket}?acl`, { body: document }));
  succeeded(await gateway.call("GET", `/${bucket}`, { sign: false }));
  succeeded(await gateway.call("PUT", `/${bucket}?acl`, { headers: { "x-amz-grant-write": `uri="${ALL}"` } }));
  assert.deepEqual(await get(), ["WRITE"]);
  const other = document.replace(/<Owner><ID>[^<]*/, "<Owner><ID>somebody");
  refused(await gateway.call("PUT", `/${bucket}?acl`, { body: other }), "AccessDenied", 403);
});

test("refuses lists that are none", async () => {
  const { gateway, bucket } = shared;
  const put = (headers: Record<string, string>, body = "") => gateway.call("PUT", `/${bucket}?acl`, { headers, body });
  refused(await put({ "x-amz-acl": "all-mine" }), "InvalidArgument", 400);
  refused(await put({ "x-amz-acl": "private", "x-amz-grant-read": 'id="x"' }), "InvalidRequest", 400);
  refused(await put({ "x-amz-grant-read": "somebody" }), "InvalidArgument", 400);
  refused(await put({ "x-amz-grant-read": 'emailAddress="a@example.com"' }), "UnresolvableGrantByEmailAddress", 400);
  refused(await put({ "x-amz-acl": "private" }, "<AccessControlPolicy/>"), "UnexpectedContent", 400);
  refused(await put({}), "MissingSecurityHeader", 400);
  refused(await put({}, "<AccessControlPolicy/>"), "MalformedACLError", 400);
});
