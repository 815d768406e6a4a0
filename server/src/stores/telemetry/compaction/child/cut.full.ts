import assert from "node:assert/strict";
import { test } from "node:test";
import { PIECES_MAX, piecesOf } from "./cut.ts";

const dayOf = (date: string): number => Date.parse(date) / 86_400_000;

test("rows of a few days are split by day", () => {
  const days = ["1969-12-31", "1970-01-01", "2026-11-20"].map(dayOf);
  assert.deepEqual(
    piecesOf(days),
    days.map((day) => ({ fromDay: day, toDay: day + 1 })),
  );
  assert.equal(piecesOf(Array.from({ length: PIECES_MAX }, (_, i) => i * 5)).length, PIECES_MAX);
});

test("rows of many days are split by month, of many months by year, of many years not at all", () => {
  const every = (count: number, step: number): number[] =>
    Array.from({ length: count }, (_, i) => dayOf("2000-01-01") + i * step);
  assert.deepEqual(piecesOf(every(90, 1)), [
    { fromDay: dayOf("2000-01-01"), toDay: dayOf("2000-02-01") },
    { fromDay: dayOf("2000-02-01"), toDay: dayOf("2000-03-01") },
    { fromDay: dayOf("2000-03-01"), toDay: dayOf("2000-03-31") },
  ]);
  assert.equal(piecesOf(every(366 + 365, 1)).length, 24);
  assert.equal(piecesOf(every(1500, 7)).length, 29);
  const wide = every(300, 365);
  assert.deepEqual(piecesOf(wide), [{ fromDay: wide[0], toDay: (wide.at(-1) ?? 0) + 1 }]);
});

test("every day is in one part, also before the year 1 and after 9999", () => {
  const days = [-800_000, -719_529, -719_528, -1, 0, 2_932_896, 2_932_897, 3_000_000];
  const pieces = piecesOf(days);
  for (const day of days) assert.equal(pieces.filter(({ fromDay, toDay }) => day >= fromDay && day < toDay).length, 1);
});
