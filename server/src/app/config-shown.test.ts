import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadConfig } from "./config.ts";
import { shownConfig } from "./config-shown.ts";

function shown(environment: Readonly<Record<string, string>>): Record<string, unknown> {
  return shownConfig(loadConfig({ environment, flags: {} }));
}

describe("secrets that are addresses", () => {
  for (const [url, text] of [
    ["postgres://u:hunter2@db:5432/mooring", "postgres://(hidden)@db:5432/mooring"],
    ["postgres://hunter2@db/mooring?sslmode=require", "postgres://(hidden)@db/mooring?(hidden)"],
    ["postgres://u:hun@ter2@db/mooring", "postgres://(hidden)@db/mooring"],
    ["postgres://u:12/hunter2@db/mooring", "postgres://(hidden)@db/mooring"],
    ["postgres://u:p?hunter2@db/mooring", "postgres://(hidden)@db/mooring"],
    ["postgres://db/mooring?password=hunter2", "postgres://db/mooring?(hidden)"],
    ["postgres://a:1,b:2/mooring", "postgres://a:1,b:2/mooring"],
    ["postgres://[::1]:5432/mooring", "postgres://[::1]:5432/mooring"],
    ["postgres:///mooring", "postgres:///mooring"],
    ["postgres://mooring:hunter2/db", "(set, not shown)"],
    ["postgres://db/mooring#hunter2", "(set, not shown)"],
  ] as const)
    test(`${url} is shown as ${text}`, () => assert.equal(shown({ MOORING_DATABASE_URL: url })["database_url"], text));
});

test("a user and password in any other address are hidden, too", () => {
  const values = shown({
    MOORING_PORTAL_URL: "https://u:hunter2@mooring.example.com/x",
    MOORING_OBJECTS_S3_ENDPOINT: "https://u:hunter2@store.example.com",
    MOORING_SMTP_URL: "smtps://u:hunter2@mx.example.com:465",
    MOORING_MAIL_FROM: "Mooring <noreply@example.com>",
  });
  assert.equal(values["portal_url"], "https://(hidden)@mooring.example.com/x");
  assert.equal(values["objects_s3_endpoint"], "https://(hidden)@store.example.com");
  assert.equal(values["smtp_url"], "smtps://(hidden)@mx.example.com:465");
  assert.equal(values["mail_from"], "Mooring <noreply@example.com>");
});
