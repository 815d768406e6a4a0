import assert from "node:assert/strict";
import { test } from "node:test";
import { healthOf } from "./service-health.ts";

const OK = { metadata: "ok", telemetry: "ok", objects: "ok" };

test("a service is down when a service that it needs is down", () => {
  const readiness = { status: "unavailable", checks: { ...OK, objects: "failed" } };
  assert.deepEqual(healthOf(readiness, { needs: ["metadata", "objects"] }), { kind: "stop", text: "down: objects" });
  assert.deepEqual(healthOf(readiness, { needs: ["metadata"] }), { kind: "go", text: "up" });
});

test("a server that is stopping reports it, and a stopped server does not answer", () => {
  assert.equal(healthOf({ status: "unavailable", checks: OK }, { needs: ["metadata"] }).text, "stopping");
  assert.equal(healthOf(null, { needs: ["metadata"] }).text, "no answer");
  assert.equal(healthOf({ status: "ok", checks: OK }, { needs: null }).text, "unknown");
});
