import assert from "node:assert/strict";
import { test } from "node:test";
import { notesOf } from "./notes.ts";

const CHANGELOG =
  "# Changelog\n\nAll changes.\n\n## [Unreleased]\n\n### Added\n\n- New.\n\n## [1.1.0] - 2026-11-20\n\n### Fixed\n\n- A.\n- B.\n\n## [1.0.0] - 2026-10-01\n\n- First.\n";

test("the notes are the section of the version", () => {
  assert.equal(notesOf(CHANGELOG, "1.1.0", { isDry: false }), "# Mooring 1.1.0\n\n### Fixed\n\n- A.\n- B.\n");
  assert.equal(notesOf(CHANGELOG, "1.1.0", { isDry: true }), "# Mooring 1.1.0\n\n### Fixed\n\n- A.\n- B.\n");
});

test("a dry run takes the unreleased changes", () => {
  assert.equal(notesOf(CHANGELOG, "2.0.0", { isDry: true }), "# Mooring 2.0.0\n\n### Added\n\n- New.\n");
});

test("a version without a section, or with an empty one, is not released", () => {
  const missing = /cannot release 2\.0\.0: CHANGELOG\.md has no section "## \[2\.0\.0\]"/;
  assert.throws(() => notesOf(CHANGELOG, "2.0.0", { isDry: false }), missing);
  assert.throws(() => notesOf("# Changelog\n\n## [2.0.0]\n\n## [1.0.0]\n\n- A.\n", "2.0.0", { isDry: false }), missing);
  assert.throws(() => notesOf("# Changelog\n\n## [Unreleased]\n", "2.0.0", { isDry: true }), missing);
});
