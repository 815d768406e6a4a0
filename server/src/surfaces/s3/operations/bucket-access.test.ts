import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

describe("bucketAcl", () => {
  const shared = useGateway();

  const ALL = "http://acs.amazonaws.com/groups/global/AllUsers";

  test("opens a bucket by a canned ACL, by grants, and by a document", async () => {
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

  test("refuses invalid access control lists", async () => {
    const { gateway, bucket } = shared;
    const put = (headers: Record<string, string>, body = "") =>
      gateway.call("PUT", `/${bucket}?acl`, { headers, body });
    refused(await put({ "x-amz-acl": "all-mine" }), "InvalidArgument", 400);
    refused(await put({ "x-amz-acl": "private", "x-amz-grant-read": 'id="x"' }), "InvalidRequest", 400);
    refused(await put({ "x-amz-grant-read": "somebody" }), "InvalidArgument", 400);
    refused(await put({ "x-amz-grant-read": 'emailAddress="a@example.com"' }), "UnresolvableGrantByEmailAddress", 400);
    refused(await put({ "x-amz-acl": "private" }, "<AccessControlPolicy/>"), "UnexpectedContent", 400);
    refused(await put({}), "MissingSecurityHeader", 400);
    refused(await put({}, "<AccessControlPolicy/>"), "MalformedACLError", 400);
  });
});

describe("bucketPolicy", () => {
  const shared = useGateway();

  const policyFor = (bucket: string): string =>
    JSON.stringify({
      Version: "2012-10-17",
      Statement: [
        { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: `arn:aws:s3:::${bucket}/open/*` },
      ],
    });

  test("allows everybody the actions of a public policy, and no more", async () => {
    const { gateway, bucket } = shared;
    refused(await gateway.call("GET", `/${bucket}?policy`), "NoSuchBucketPolicy", 404);
    for (const key of ["open/a", "closed/a"]) succeeded(await gateway.call("PUT", `/${bucket}/${key}`, { body: key }));
    refused(await gateway.call("GET", `/${bucket}/open/a`, { sign: false }), "AccessDenied", 403);
    const body = policyFor(bucket);
    succeeded(await gateway.call("PUT", `/${bucket}?policy`, { body }), 204);
    assert.equal(succeeded(await gateway.call("GET", `/${bucket}?policy`)).text, body);
    assert.match(succeeded(await gateway.call("GET", `/${bucket}?policyStatus`)).text, /<IsPublic>true<\/IsPublic>/);
    assert.equal(succeeded(await gateway.call("GET", `/${bucket}/open/a`, { sign: false })).text, "open/a");
    refused(await gateway.call("GET", `/${bucket}/closed/a`, { sign: false }), "AccessDenied", 403);
    refused(await gateway.call("PUT", `/${bucket}/open/a`, { sign: false, body: "x" }), "AccessDenied", 403);
    succeeded(await gateway.call("DELETE", `/${bucket}?policy`), 204);
    refused(await gateway.call("GET", `/${bucket}/open/a`, { sign: false }), "AccessDenied", 403);
  });

  test("refuses an invalid or too large policy", async () => {
    const { gateway, bucket } = shared;
    refused(await gateway.call("PUT", `/${bucket}?policy`, { body: "" }), "MalformedPolicy", 400);
    refused(await gateway.call("PUT", `/${bucket}?policy`, { body: "{}" }), "MalformedPolicy", 400);
    refused(await gateway.call("PUT", `/${bucket}?policy`, { body: " ".repeat(20_481) }), "EntityTooLarge", 400);
  });
});

describe("publicAccessBlock", () => {
  const shared = useGateway();

  const BLOCK =
    "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls><IgnorePublicAcls>true</IgnorePublicAcls></PublicAccessBlockConfiguration>";

  test("blocks public access control lists", async () => {
    const { gateway, bucket } = shared;
    refused(await gateway.call("GET", `/${bucket}?publicAccessBlock`), "NoSuchPublicAccessBlockConfiguration", 404);
    const headers = { "x-amz-acl": "public-read" };
    succeeded(await gateway.call("PUT", `/${bucket}/a`, { headers, body: "a" }));
    succeeded(await gateway.call("GET", `/${bucket}/a`, { sign: false }));
    succeeded(await gateway.call("PUT", `/${bucket}?publicAccessBlock`, { body: BLOCK }), 200);
    const { text } = succeeded(await gateway.call("GET", `/${bucket}?publicAccessBlock`));
    assert.match(text, /<BlockPublicAcls>true<.*<BlockPublicPolicy>false</s);
    refused(await gateway.call("GET", `/${bucket}/a`, { sign: false }), "AccessDenied", 403);
    refused(await gateway.call("PUT", `/${bucket}/b`, { headers, body: "b" }), "AccessDenied", 403);
    succeeded(await gateway.call("DELETE", `/${bucket}?publicAccessBlock`), 204);
    succeeded(await gateway.call("GET", `/${bucket}/a`, { sign: false }));
  });
});

describe("bucketOwnershipControls", () => {
  const shared = useGateway();

  const ownership = (text: string): string =>
    `<OwnershipControls><Rule><ObjectOwnership>${text}</ObjectOwnership></Rule></OwnershipControls>`;

  test("stores the ownership rule; if it disables ACLs, none can be set", async () => {
    const { gateway, bucket } = shared;
    refused(await gateway.call("GET", `/${bucket}?ownershipControls`), "OwnershipControlsNotFoundError", 404);
    succeeded(
      await gateway.call("PUT", `/${bucket}?ownershipControls`, { body: ownership("BucketOwnerEnforced") }),
      200,
    );
    assert.match(succeeded(await gateway.call("GET", `/${bucket}?ownershipControls`)).text, />BucketOwnerEnforced</);
    const headers = { "x-amz-acl": "public-read" };
    refused(await gateway.call("PUT", `/${bucket}/a`, { headers, body: "a" }), "AccessControlListNotSupported", 400);
    refused(
      await gateway.call("PUT", `/${bucket}?ownershipControls`, { body: ownership("Nobody") }),
      "MalformedXML",
      400,
    );
    succeeded(await gateway.call("DELETE", `/${bucket}?ownershipControls`), 204);
    succeeded(await gateway.call("PUT", `/${bucket}/a`, { headers, body: "a" }));
  });
});
