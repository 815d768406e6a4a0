import assert from "node:assert/strict";
import { test } from "node:test";
import { consequencesOf } from "./move.ts";

const APP = { slug: "shop-web" };
const open = { name: "Web", visibility: "organization", environment: null } as const;
const closed = { name: "Vault", visibility: "private", environment: "production" } as const;

test("before an app moves, the form shows who will see it", () => {
  assert.match(
    consequencesOf(APP, open, closed).join(" "),
    /Only members of Vault will see it, also among owners and admins/,
  );
  assert.match(consequencesOf(APP, open, closed).join(" "), /Vault is production\./);
  assert.match(consequencesOf(APP, closed, open).join(" "), /All members of the organization will see it/);
  assert.match(
    consequencesOf(APP, closed, { ...closed, name: "Safe" }).join(" "),
    /Members of Vault will not see it any more/,
  );
  assert.match(
    consequencesOf(APP, open, { ...open, name: "Shop" }).join(" "),
    /All members of the organization still see it/,
  );
});

test("a change of environment is shown", () => {
  const [staging, production] = [
    { ...open, environment: "staging" },
    { ...open, name: "Live", environment: "production" },
  ];
  assert.ok(consequencesOf(APP, staging, production).includes("Live is production, Web is staging."));
  assert.equal(consequencesOf(APP, staging, staging).length, 4);
});
