import assert from "node:assert/strict";
import { test } from "node:test";
import { bestApp, bestHolder, reaches } from "./choose.ts";

const everywhere = { project_id: null, effective_scopes: ["files:read"] };
const ofHarbour = { project_id: "harbour", effective_scopes: ["registry:pull", "registry:push"] };
const apps = [{ project_id: "harbour" }, { project_id: "web" }];
const hidden = new Set(["harbour"]);

test("a credential with the required permissions comes before the newest", () => {
  assert.equal(bestHolder([everywhere, ofHarbour], ["registry:push"]), ofHarbour);
  assert.equal(bestHolder([everywhere, ofHarbour], ["s3:read"]), everywhere);
  assert.equal(bestHolder([everywhere, ofHarbour], []), everywhere);
  assert.equal(bestHolder([], ["s3:read"]), undefined);
});

test("a credential of the organization reaches no private project; one of a project reaches only that project", () => {
  assert.equal(reaches(everywhere, { project_id: "harbour" }, hidden), false);
  assert.equal(reaches(everywhere, { project_id: "web" }, hidden), true);
  assert.equal(reaches(ofHarbour, { project_id: "harbour" }, hidden), true);
  assert.equal(reaches(ofHarbour, { project_id: "web" }, hidden), false);
  assert.equal(bestApp(apps, everywhere, hidden)?.project_id, "web");
  assert.equal(bestApp(apps, ofHarbour, hidden)?.project_id, "harbour");
  assert.equal(bestApp(apps, undefined, hidden)?.project_id, "harbour");
});
