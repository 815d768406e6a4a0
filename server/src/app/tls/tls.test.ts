import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { dateFaultOf } from "./certificate.ts";
import { directoriesOf } from "./paths.ts";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "mooring-tls-")));
after(() => rmSync(directory, { recursive: true, force: true }));

test("the directories of a file and of every symbolic link on its path are watched", () => {
  const at = (name: string): string => join(directory, name);
  for (const name of ["real", "archive", "live"]) mkdirSync(at(name));
  writeFileSync(at("archive/cert2.pem"), "");
  symlinkSync("../archive/cert2.pem", at("live/cert.pem"));
  symlinkSync(at("live"), at("real/now"));
  assert.deepEqual([...directoriesOf(at("archive/cert2.pem"))], [at("archive")]);
  assert.deepEqual([...directoriesOf(at("live/cert.pem"))].toSorted(), [at("archive"), at("live")]);
  assert.deepEqual([...directoriesOf(at("real/now/cert.pem"))].toSorted(), [at("archive"), at("live"), at("real")]);
  assert.deepEqual([...directoriesOf(at("absent/cert.pem"))], [directory]);
  symlinkSync("loop", at("loop"));
  assert.deepEqual([...directoriesOf(at("loop"))], [directory]);
});

test("a certificate that has expired, is not valid yet or expires within 14 days has a fault", () => {
  const day = 86_400_000;
  const certificate = { cert: "", key: "", names: "", validFromMs: 10 * day, validToMs: 100 * day };
  const at = (days: number): string | undefined => dateFaultOf(certificate, days * day);
  assert.equal(at(9), "the certificate is not valid yet");
  assert.deepEqual([at(10), at(86)], [undefined, undefined]);
  assert.equal(at(86.5), "the certificate expires in 13 days");
  assert.equal(at(99.5), "the certificate expires within a day");
  assert.equal(at(100), "the certificate has expired");
});
