import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const life = (...rules: string[]): string =>
  `<LifecycleConfiguration>${rules.map((rule) => `<Rule>${rule}</Rule>`).join("")}</LifecycleConfiguration>`;
const FILTERED =
  "<ID>one</ID><Status>Enabled</Status><Filter><And><Prefix>logs/</Prefix><Tag><Key>a</Key><Value>b</Value></Tag>" +
  "<ObjectSizeGreaterThan>5</ObjectSizeGreaterThan></And></Filter><Expiration><Days>3</Days></Expiration>";
const PLAIN =
  "<ID>two</ID><Status>Disabled</Status><Prefix>tmp/</Prefix><NoncurrentVersionExpiration><NoncurrentDays>4</NoncurrentDays>" +
  "</NoncurrentVersionExpiration><AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload>";

test("returns the rules as they were sent", async () => {
  const { gateway, bucket } = shared;
  refused(await gateway.call("GET", `/${bucket}?lifecycle`), "NoSuchLifecycleConfiguration", 404);
  succeeded(await gateway.call("PUT", `/${bucket}?lifecycle`, { body: life(FILTERED, PLAIN) }), 200);
  const { text } = succeeded(await gateway.call("GET", `/${bucket}?lifecycle`));
  assert.ok(text.includes(`<Rule>${FILTERED.replace("<Filter>", "<Filter>")}</Rule>`), text);
  for (const part of ["<ID>two</ID>", "<Status>Disabled</Status>", "<Prefix>tmp/</Prefix>", "<DaysAfterInitiation>7<"])
    assert.ok(text.includes(part), text);
  succeeded(await gateway.call("DELETE", `/${bucket}?lifecycle`), 204);
  refused(await gateway.call("GET", `/${bucket}?lifecycle`), "NoSuchLifecycleConfiguration", 404);
});

test("refuses invalid rules, and rules with unsupported actions", async () => {
  const { gateway, bucket } = shared;
  const put = (...rules: string[]) => gateway.call("PUT", `/${bucket}?lifecycle`, { body: life(...rules) });
  refused(await put(), "MalformedXML", 400);
  refused(await put(FILTERED, FILTERED), "InvalidArgument", 400);
  refused(await put(FILTERED.replace("Enabled", "enabled")), "MalformedXML", 400);
  refused(await put(FILTERED.replace("<Days>3", "<Days>0")), "InvalidArgument", 400);
  refused(await put(FILTERED.replace("<Days>3</Days>", "<Date>yesterday</Date>")), "MalformedXML", 400);
  refused(await put(FILTERED.replace("<Days>3</Days>", "<Date>2030-01-01T05:00:00Z</Date>")), "InvalidArgument", 400);
  refused(await put(FILTERED.replace(/<Expiration>.*/, "")), "InvalidRequest", 400);
  refused(await put(FILTERED.replace("one", "x".repeat(256))), "InvalidArgument", 400);
  refused(
    await put(`${PLAIN}<Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition>`),
    "NotImplemented",
    501,
  );
});
