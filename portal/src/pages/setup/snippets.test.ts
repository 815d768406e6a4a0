import assert from "node:assert/strict";
import { test } from "node:test";
import { envFile, firstLogCommands, tokenCommand } from "./snippets.ts";

const FIRST = {
  clientId: "moc_1",
  clientSecret: "mocs_2",
  portalUrl: "https://p.example",
  identityUrl: "https://id.example",
  ingestUrl: "https://in.example",
  queryUrl: "https://q.example",
};

test("the snippets have the credential and the real addresses", () => {
  assert.equal(
    envFile(FIRST),
    "MOORING_URL=https://p.example\nMOORING_CLIENT_ID=moc_1\nMOORING_CLIENT_SECRET=mocs_2\n",
  );
  assert.match(tokenCommand(FIRST), /-u 'moc_1:mocs_2'[^]*https:\/\/id\.example\/oauth\/token$/);
  const commands = firstLogCommands(FIRST, "2026-01-10T12:00:00Z");
  assert.match(commands, /"timestamp":"2026-01-10T12:00:00Z"/);
  assert.match(commands, /https:\/\/in\.example\/v1\/ingest\/logs\n/);
  assert.match(commands, /https:\/\/q\.example\/v1\/query$/);
});
