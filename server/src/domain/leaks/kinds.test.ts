import assert from "node:assert/strict";
import { test } from "node:test";
import type { LeakKind } from "@mooring/contract";
import { newSecret, type SecretPrefix } from "#kernel/secrets.ts";
import { kindOf, partOf } from "./kinds.ts";

/** Every prefix of a secret, with its kind. A new prefix needs a line, and a finder. */
const KINDS: Readonly<Record<SecretPrefix, LeakKind>> = {
  mrcs: "client_secret",
  mrpat: "personal_token",
  mrik: "ingest_key",
  mrwh: "webhook_url",
  mriv: "invitation",
  mrst: "setup_link",
  mrrl: "reset_link",
  mrac: "login_code",
  mrdc: "login_code",
  mrop: "operator_token",
};

test("every prefix has a kind, and unknown text has none", () => {
  for (const [prefix, kind] of Object.entries(KINDS)) assert.equal(kindOf(newSecret(prefix as SecretPrefix)), kind);
  for (const text of ["", "hello", "x".repeat(41), "MOOR", "mrxx_1"]) assert.equal(kindOf(text), null, text);
  assert.equal(kindOf(`MOOR${"A".repeat(16)}`), "s3_access_key");
  assert.equal(kindOf("a".repeat(40)), "s3_secret");
  assert.equal(kindOf("a".repeat(43)), "session");
  assert.equal(kindOf("mrr.e30.c2ln"), "registry_token");
  assert.equal(kindOf("mrrr.e30.c2ln"), "registry_token");
  assert.equal(kindOf("e30.e30.c2ln"), "access_token");
});

test("a secret is found in the places where people find it", () => {
  const secret = newSecret("mrwh");
  const cookie = "c".repeat(43);
  const lines: readonly (readonly [line: string, part: string])[] = [
    [`  ${secret}\n`, secret],
    [`Authorization: Bearer ${secret}`, secret],
    [`bearer ${secret}`, secret],
    [`Cookie: a=b; __Host-mooring=${cookie}; c=d`, cookie],
    [`https://hooks.example/hooks/${secret}`, secret],
    [`https://portal.example/invitation#${secret}`, secret],
    [
      `https://s3.example/b/k?X-Amz-Credential=MOOR${"B".repeat(16)}%2F20261126&X-Amz-Signature=1`,
      `MOOR${"B".repeat(16)}`,
    ],
    ["nothing of ours", "nothing of ours"],
  ];
  for (const [line, part] of lines) assert.equal(partOf(line), part, line);
});
