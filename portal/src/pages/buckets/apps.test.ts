import assert from "node:assert/strict";
import { test } from "node:test";
import { APP_SLUG_PATTERN } from "@mooring/contract";
import { bucketCommands, notificationCommand, slugFault } from "./apps.ts";

test("an invalid slug is refused with a reason", () => {
  for (const slug of ["", "shop", "my-app", "a.b", "x1--y"])
    assert.equal(slugFault(slug, APP_SLUG_PATTERN), undefined, slug);
  assert.equal(slugFault("ab", APP_SLUG_PATTERN), "3 to 63 characters");
  assert.equal(slugFault("Shop", APP_SLUG_PATTERN), "a-z, 0-9, dots and hyphens only");
  assert.equal(slugFault("shop-", APP_SLUG_PATTERN), "must begin and end with a letter or a digit");
  for (const slug of ["a..b", "10.0.0.1", "xn--shop", "shop-s3alias"])
    assert.match(slugFault(slug, APP_SLUG_PATTERN) ?? "", /^two dots/, slug);
});

test("commands name the endpoint and the bucket", () => {
  const { list, empty } = bucketCommands("https://s3.example.com", "shop");
  assert.equal(list, "aws --endpoint-url https://s3.example.com s3 ls s3://shop/");
  assert.match(empty, /rm s3:\/\/shop --recursive$/);
  assert.match(
    notificationCommand("https://s3.example.com", "shop", "arn:mooring:webhook:::thumbs"),
    /"QueueArn":"arn:mooring/,
  );
});
