import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSearch } from "./search-language.ts";
import { tailSearch } from "./tail-search.ts";

const searchOf = (text: string): string => decodeURIComponent(tailSearch(parseSearch(text)).toString());

test("the server's filter has only the terms that a tail supports", () => {
  assert.equal(
    searchOf('level:error service:payments order:7 "card" trace_id:ab'),
    "level=error&service=payments&attributes.order=7&q=card&trace_id=ab",
  );
});

test("the server's filter never excludes an entry that matches the search; the portal filters the rest", () => {
  assert.equal(searchOf("-level:debug service:a,b user:x* ms:>5 -word level:notice span_id:1"), "");
  assert.equal(searchOf("one two level:>=warn"), "q=one&level=warn");
  assert.equal(searchOf("level:<warn level:error,info"), "");
});
