import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const configuration = (rule: string): string => `<NotificationConfiguration>${rule}</NotificationConfiguration>`;
const RULE =
  "<TopicConfiguration><Id>one</Id><Topic>arn:mooring:webhook:::none</Topic><Event>s3:ObjectCreated:*</Event>" +
  "<Filter><S3Key><FilterRule><Name>prefix</Name><Value>a/</Value></FilterRule></S3Key></Filter></TopicConfiguration>";

test("has no rules at first, and refuses rules without an existing destination", async () => {
  const { gateway, bucket } = shared;
  const put = (rule: string) => gateway.call("PUT", `/${bucket}?notification`, { body: configuration(rule) });
  assert.doesNotMatch(succeeded(await gateway.call("GET", `/${bucket}?notification`)).text, /<Topic>/);
  refused(await put(RULE.replace("<Event>s3:ObjectCreated:*</Event>", "")), "MalformedXML", 400);
  refused(await put(RULE.replace("prefix", "infix")), "InvalidArgument", 400);
  refused(await put("<EventBridgeConfiguration/>"), "NotImplemented", 501);
  succeeded(await put(""), 200);
});
