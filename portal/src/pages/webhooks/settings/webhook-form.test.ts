import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf, draftOf } from "./webhook-form.ts";

const WEBHOOK: Parameters<typeof draftOf>[0] = {
  id: "hook_1",
  project_id: "prj_1",
  name: "orders",
  enabled: true,
  verification: { scheme: "hmac", header: "X-Sum" },
  allowed_ips: ["192.0.2.0/24"],
  handshakes: [],
  deduplication: { by: "auto" },
  response: null,
  has_secret: true,
  retention_days: null,
  urls: [],
  created_by: "usr_1",
  created_at: "2026-01-10T12:00:00Z",
  updated_at: "2026-01-10T12:00:00Z",
};

test("only changed fields are sent", () => {
  const draft = draftOf(WEBHOOK);
  assert.equal(changeOf(WEBHOOK, draft), null);
  assert.equal(changeOf(WEBHOOK, { ...draft, verification: { header: "X-Sum", prefix: "", scheme: "hmac" } }), null);
  assert.deepEqual(
    changeOf(WEBHOOK, { ...draft, name: "orders ", allowedIps: "192.0.2.1, 2001:db8::/32\n", retentionDays: "7" }),
    { allowed_ips: ["192.0.2.1", "2001:db8::/32"], retention_days: 7 },
  );
  assert.deepEqual(changeOf(WEBHOOK, { ...draft, secret: "a new secret", handshakes: ["slack"] }), {
    handshakes: ["slack"],
    secret: "a new secret",
  });
});
