import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const RULE =
  "<CORSRule><AllowedMethod>GET</AllowedMethod><AllowedMethod>PUT</AllowedMethod><AllowedOrigin>https://*.example.com</AllowedOrigin>" +
  "<AllowedHeader>x-amz-*</AllowedHeader><ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>60</MaxAgeSeconds></CORSRule>";
const cors = (rules: string): string => `<CORSConfiguration>${rules}</CORSConfiguration>`;

test("answers pages of other origins by the bucket's rules", async () => {
  const { gateway, bucket } = shared;
  refused(await gateway.call("GET", `/${bucket}?cors`), "NoSuchCORSConfiguration", 404);
  succeeded(await gateway.call("PUT", `/${bucket}?cors`, { body: cors(RULE) }), 200);
  assert.match(succeeded(await gateway.call("GET", `/${bucket}?cors`)).text, /<MaxAgeSeconds>60<\/MaxAgeSeconds>/);
  const { accessKeyId } = gateway.key;
  const ask = (headers: Record<string, string>) =>
    gateway.call("OPTIONS", `/${bucket}/a?X-Amz-Credential=${accessKeyId}%2F20260101%2Fus-east-1%2Fs3%2Faws4_request`, {
      sign: false,
      headers: { origin: "https://www.example.com", ...headers },
    });
  const allowed = succeeded(
    await ask({ "access-control-request-method": "PUT", "access-control-request-headers": "X-Amz-Date, x-amz-acl" }),
  );
  assert.equal(allowed.headers["access-control-allow-origin"], "https://www.example.com");
  assert.equal(allowed.headers["access-control-allow-headers"], "x-amz-date, x-amz-acl");
  assert.equal(allowed.headers["access-control-max-age"], "60");
  assert.equal(allowed.headers["access-control-allow-credentials"], undefined);
  assert.match(allowed.headers.vary ?? "", /Origin/);
  refused(await ask({ "access-control-request-method": "DELETE" }), "AccessDenied", 403);
  refused(await ask({ "access-control-request-method": "PUT", origin: "https://example.org" }), "AccessDenied", 403);
  refused(
    await ask({ "access-control-request-method": "PUT", "access-control-request-headers": "cookie" }),
    "AccessDenied",
    403,
  );
  refused(await ask({}), "InvalidRequest", 400);
  const page = await gateway.call("GET", `/${bucket}`, { headers: { origin: "https://www.example.com" } });
  assert.equal(page.headers["access-control-expose-headers"], "ETag");
  const other = await gateway.call("GET", `/${bucket}`, { headers: { origin: "https://example.org" } });
  assert.equal(other.headers["access-control-allow-origin"], undefined);
  succeeded(await gateway.call("DELETE", `/${bucket}?cors`), 204);
  refused(await ask({ "access-control-request-method": "PUT" }), "AccessDenied", 403);
});

test("refuses invalid rules", async () => {
  const { gateway, bucket } = shared;
  const put = (body: string) => gateway.call("PUT", `/${bucket}?cors`, { body });
  refused(await put(cors("")), "MalformedXML", 400);
  refused(await put(cors("<CORSRule><AllowedMethod>GET</AllowedMethod></CORSRule>")), "MalformedXML", 400);
  refused(await put(cors(RULE.replace("GET", "PATCH"))), "InvalidRequest", 400);
  refused(await put(cors(RULE.replace("*.", "*.*"))), "InvalidRequest", 400);
  refused(await put(cors(RULE.replace("ETag", "ETag&#13;&#10;Set-Cookie: a"))), "InvalidRequest", 400);
});
