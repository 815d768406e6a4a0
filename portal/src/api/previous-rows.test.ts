import assert from "node:assert/strict";
import { test } from "node:test";
import * as contract from "@mooring/contract";
import { QueryClient, QueryObserver, type QueryKey, type QueryObserverOptions } from "@tanstack/react-query";
import { differsInFiltersOnly, FILTER_NAMES, keepSameRows } from "./previous-rows.ts";

const list = (owner: string, query: object, params?: object): QueryKey => [
  owner,
  "listThings",
  { params, query },
  "pages",
];

test("rows stay while a page, a time or a filter changes", () => {
  const before = list("acme", { project: "site", from: "a", q: "x", cursor: "1" });
  for (const change of [{ q: "y" }, { from: "b", to: "c" }, { cursor: undefined }, { include_revoked: true }])
    assert.ok(
      differsInFiltersOnly(before, list("acme", { project: "site", from: "a", q: "x", cursor: "1", ...change })),
    );
  assert.ok(differsInFiltersOnly(list("acme", {}), list("acme", { status: "dead" })), "a filter that was added");
});

test("rows disappear when the organization, project, operation or object changes", () => {
  const before = list("acme", { project: "site", limit: 50 }, { app_id: "a" });
  assert.ok(!differsInFiltersOnly(before, list("globex", { project: "site", limit: 50 }, { app_id: "a" })));
  assert.ok(!differsInFiltersOnly(before, list("acme", { project: "shop", limit: 50 }, { app_id: "a" })));
  assert.ok(!differsInFiltersOnly(before, list("acme", { limit: 50 }, { app_id: "a" })), "the whole organization");
  assert.ok(!differsInFiltersOnly(before, list("acme", { project: "site", limit: 50 }, { app_id: "b" })));
  assert.ok(!differsInFiltersOnly(before, ["acme", "listOthers", { query: { project: "site" } }, "pages"]));
  assert.ok(!differsInFiltersOnly(["acme", "explore", { projectId: "p1" }], ["acme", "explore", { projectId: "p2" }]));
  assert.ok(
    !differsInFiltersOnly(["acme", "query", { body: { sql: "1" } }], ["acme", "query", { body: { sql: "2" } }]),
  );
});

/** Parameters that name the owner of the rows, or that read a single object. */
const SUBJECTS = new Set(
  "project credential key version_id permission after wait_s last_event_id expires_in permanent transfer_credentials orphans reason dry_run slug".split(
    " ",
  ),
);

test("each query parameter of the contract is a filter or names the owner of the rows", () => {
  const names = new Set<string>();
  for (const row of Object.values(contract).flatMap(rowsOf)) for (const name of Object.keys(row)) names.add(name);
  assert.ok(names.size > 20, "the contract's rows were read");
  const unknown = [...names].filter((name) => !FILTER_NAMES.has(name) && !SUBJECTS.has(name));
  assert.deepEqual(unknown, [], "add them to FILTER_NAMES, or to SUBJECTS in this test");
});

function rowsOf(table: unknown): Record<string, unknown>[] {
  if (typeof table !== "object" || table === null) return [];
  return Object.values(table).flatMap((row: unknown) => {
    const { operationId, query } = (row ?? {}) as { operationId?: string; query?: { properties?: object } };
    return operationId === undefined || query?.properties === undefined ? [] : [{ ...query.properties }];
  });
}

test("the query library shows no rows of another organization while it loads", async () => {
  const client = new QueryClient();
  const options = (queryKey: QueryKey, queryFn: () => Promise<string>): QueryObserverOptions<string> => ({
    queryKey,
    queryFn,
    placeholderData: (previous, query) => keepSameRows(previous, query, queryKey),
  });
  const never = (): Promise<string> => new Promise(() => {});
  const observer = new QueryObserver<string>(
    client,
    options(list("acme", { project: "site" }), async () => "acme's"),
  );
  const stop = observer.subscribe(() => {});
  await observer.refetch();
  assert.equal(observer.getCurrentResult().data, "acme's");
  observer.setOptions(options(list("acme", { project: "site", q: "new" }), never));
  assert.equal(observer.getCurrentResult().data, "acme's", "the rows stay when a filter changes");
  observer.setOptions(options(list("globex", { project: "site" }), never));
  assert.equal(observer.getCurrentResult().data, undefined, "the rows disappear at once when the organization changes");
  stop();
  client.clear();
});
