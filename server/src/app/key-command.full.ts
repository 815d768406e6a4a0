import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { rotateMaster, type Identity, type RotationDeps } from "#domain/identity/index.ts";
import { credentialOf, openGround, tokenOf, type Ground } from "#domain/identity/testing.ts";
import { keyProgram, type KeyProgram } from "../../../tests/fixtures/key-program.ts";
import { keyCommand } from "./key-command.ts";

const CONTEXT = { id: "00112233aabbccdd", use: "wrap", purpose: "totp" };

let directory: string;
let program: KeyProgram;
let ground: Ground;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "mooring-key-command-"));
  program = keyProgram(directory);
  ground = await openGround();
});
afterEach(async () => {
  await ground.close();
  rmSync(directory, { recursive: true, force: true });
});

function depsOf(identity: Identity): RotationDeps {
  const { metadata, clock, dataDir } = ground;
  const actor = { kind: "system", id: "test" } as const;
  return {
    metadata,
    clock,
    dataDir,
    ring: identity.ring,
    actor,
    isExternal: true,
    waitMs: 20_000,
    say: () => undefined,
  };
}

test("a program wraps and unwraps, and only in the same context", async () => {
  const service = keyCommand(program.path);
  const { keyId } = await service.status();
  assert.equal(keyId, program.keyId);
  const plaintext = Buffer.from("0123456789");
  const bytes = await service.wrap(plaintext, CONTEXT);
  assert.deepEqual(await service.unwrap({ keyId, bytes }, CONTEXT), plaintext);
  await assert.rejects(service.unwrap({ keyId, bytes }, { ...CONTEXT, purpose: "answer" }), /ended with 1/);
});

test("a program that fails, is missing, or answers something else gives an error without its answer", async () => {
  program.setAway(true);
  await assert.rejects(keyCommand(program.path).status(), /ended with 7/);
  await assert.rejects(keyCommand(join(directory, "none")).status(), /cannot run master_key_command .*ENOENT/);
  for (const [index, [answer, reason]] of [
    ["not JSON", /not a JSON object/],
    ["{}", /no valid plaintext/],
    ['{"plaintext":"%%%"}', /no valid plaintext/],
  ].entries() as IterableIterator<[number, [string, RegExp]]>) {
    const path = join(directory, `wrong-${index}`);
    writeFileSync(path, `#!/bin/sh\ncat > /dev/null\necho '${answer}'\n`, { mode: 0o700 });
    await assert.rejects(
      keyCommand(path).unwrap({ keyId: "k", bytes: Buffer.from("x") }, CONTEXT),
      (error: Error) => reason.test(error.message) && !error.message.includes("%%%"),
    );
  }
});

test("an installation moves from master.key to the service, and to the service's next key", async () => {
  const before = await ground.node();
  const client = await credentialOf(before);
  const keyService = keyCommand(program.path);
  const moving = await ground.node({ keyService });
  assert.equal((await rotateMaster(depsOf(moving))).to, `service:${program.keyId}`);
  const elsewhere = join(directory, "without-a-file");
  const node = await ground.node({ keyService, dataDir: elsewhere });
  await tokenOf(node, client);
  await assert.rejects(ground.node(), /sealed under key service:/);
  await assert.rejects(rotateMaster(depsOf(node)), /already in use/);
  program.rotate();
  assert.equal((await rotateMaster(depsOf(node))).to, `service:${program.keyId}`);
  await tokenOf(await ground.node({ keyService, dataDir: elsewhere }), client);
});

test("while the service is away, running nodes work and no node starts", async () => {
  const keyService = keyCommand(program.path);
  const dataDir = join(directory, "data");
  const node = await ground.node({ keyService, dataDir });
  await node.start();
  const client = await credentialOf(node);
  const used = program.operations().length;
  await tokenOf(node, client);
  assert.equal(program.operations().length, used, "no request asks the service");
  program.setAway(true);
  await tokenOf(node, client);
  await assert.rejects(rotateMaster(depsOf(node)), /ended with 7/);
  await tokenOf(node, client);
  await assert.rejects(ground.node({ keyService, dataDir }), /ended with 7/);
  program.setAway(false);
  await tokenOf(await ground.node({ keyService, dataDir }), client);
});
