import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { noticesPage, packageDirectories } from "./notices.ts";

const folder = mkdtempSync(join(tmpdir(), "mooring-notices-"));
after(() => rmSync(folder, { recursive: true }));

function installed(name: string, fields: object, files: Readonly<Record<string, string>> = {}): string {
  const directory = join(folder, "node_modules", name);
  mkdirSync(join(directory, "dist"), { recursive: true });
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name, version: "1.0.0", ...fields }));
  writeFileSync(join(directory, "dist/package.json"), '{"type":"module"}');
  for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
  return directory;
}

test("the page has name, version, licence and texts of each package, once and in order", () => {
  const b = installed("b", { license: "MIT" }, { LICENSE: "the text of b\n" });
  const a = installed("@s/a", { license: "(ISC OR GPL-3.0-only)" }, { "notice.txt": "notice\n", COPYING: "copying\n" });
  const page = noticesPage("The portal", [b, a, b]);
  assert.equal(
    page,
    "# Third-party notices\n\nThe portal contains code of the following packages.\n\n" +
      "## @s/a 1.0.0\n\nLicence: (ISC OR GPL-3.0-only)\n\n````text\ncopying\n````\n\n````text\nnotice\n````\n\n" +
      "## b 1.0.0\n\nLicence: MIT\n\n````text\nthe text of b\n````\n",
  );
});

test("code with another licence, or with none, is not published", () => {
  const publish = (name: string, fields: object): (() => string) => {
    const directory = installed(name, fields);
    return () => noticesPage("This package", [directory]);
  };
  assert.throws(publish("g", { license: "GPL-3.0-only" }), /cannot publish code of g: its licence is GPL-3\.0-only/);
  assert.throws(publish("n", {}), /cannot publish code of n: it does not state its licence/);
  assert.throws(publish("axe-core", { license: "MPL-2.0" }), /cannot publish code of axe-core/, "for development only");
});

test("a module belongs to the nearest package with a version; ours belong to none", () => {
  const directory = installed("c", { license: "MIT" });
  const modules = [join(directory, "dist/a.js?x"), `\0${join(directory, "b.js")}`, "/repository/server/src/main.ts"];
  assert.deepEqual([...packageDirectories(modules)], [directory]);
  assert.throws(() => packageDirectories([join(folder, "node_modules/unknown/a.js")]), /belongs to no package/);
});
