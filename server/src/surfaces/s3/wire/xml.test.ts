import assert from "node:assert/strict";
import { test } from "node:test";
import { s3ErrorOf } from "../errors.ts";
import { renderDocument } from "./xml.ts";
import { booleanIn, childOf, childrenOf, numberIn, parseDocument, requiredText, textIn } from "./xml-tree.ts";

const parsed = (text: string): ReturnType<typeof parseDocument> => parseDocument(Buffer.from(text), "Delete");
const malformed = (error: unknown): boolean => s3ErrorOf(error).code === "MalformedXML";

test("reads a document with and without a namespace", () => {
  for (const open of [
    "<Delete>",
    '<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    '<?xml version="1.0" encoding="UTF-8"?>\n<Delete>',
  ]) {
    const root = parsed(
      `${open}<Object><Key>a &amp; &#233;<![CDATA[<b>]]></Key></Object><Quiet>true</Quiet><N> 7 </N></Delete>`,
    );
    assert.equal(textIn(childOf(root, "Object") ?? root, "Key"), "a & é<b>");
    assert.equal(booleanIn(root, "Quiet"), true);
    assert.equal(numberIn(root, "N"), 7);
    assert.equal(textIn(root, "Absent"), undefined);
  }
  const prefixed = parsed('<s3:Delete xmlns:s3="urn:x"><s3:Object xsi:type="T" xmlns:xsi="urn:y"/></s3:Delete>');
  assert.equal(childrenOf(prefixed, "Object").length, 1);
});

test("refuses document types, entities, deep nesting, other roots and text that is not well-formed", () => {
  for (const text of [
    "",
    "text",
    "<Delete>",
    "<Delete></delete>",
    "<Other/>",
    "<Delete/><Delete/>",
    '<!DOCTYPE Delete [<!ENTITY a "b">]><Delete>&a;</Delete>',
    "<!DOCTYPE Delete><Delete/>",
    '<!DOCTYPE Delete SYSTEM "file:///etc/passwd"><Delete/>',
    "<Delete>&unknown;</Delete>",
    "<Delete>&#0;</Delete>",
    `<Delete>${"<a>".repeat(16)}${"</a>".repeat(16)}</Delete>`,
    `<Delete>${"<a>".repeat(200_000)}${"</a>".repeat(200_000)}</Delete>`,
  ])
    assert.throws(() => parsed(text), malformed, text.slice(0, 80));
  assert.throws(() => parseDocument(Buffer.from([0x3c, 0xff, 0xfe]), "Delete"), malformed);
});

test("reads names of an object's prototype like any other", () => {
  const root = parsed("<Delete><__proto__><Key>a</Key></__proto__><constructor>b</constructor></Delete>");
  assert.equal(textIn(root, "constructor"), "b");
  assert.equal(textIn(childOf(root, "__proto__") ?? root, "Key"), "a");
  assert.equal(({} as Record<string, unknown>)["Key"], undefined);
});

test("refuses repeated and missing elements, and text that is not a number", () => {
  const root = parsed("<Delete><A>1</A><A>2</A><B>x</B><C>-1</C><D>1e3</D></Delete>");
  assert.throws(() => textIn(root, "A"), malformed);
  assert.throws(() => requiredText(root, "Z"), malformed);
  for (const name of ["B", "C", "D"]) assert.throws(() => numberIn(root, name), malformed);
  assert.throws(() => booleanIn(root, "B"), malformed);
});

test("escapes text, and reads it back", () => {
  const text = "a<b>&\"'\r\n\u0001 é 😀";
  const sent = renderDocument("Delete", { Key: [text, "two"], Empty: "", None: undefined, Count: 0, Truth: false });
  assert.match(
    sent,
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<Delete xmlns="http:\/\/s3\.amazonaws\.com\/doc\/2006-03-01\/">/,
  );
  assert.ok(!sent.includes("<b>") && !sent.includes("None") && sent.includes("&#x1;"), sent);
  const back = parsed(sent.replace("&#x1;", ""));
  assert.deepEqual(
    childrenOf(back, "Key").map((key) => key.text),
    [text.replace("\u0001", ""), "two"],
  );
  assert.equal(numberIn(back, "Count"), 0);
  assert.equal(
    renderDocument("A", { "@x": '"', B: "" }, false).split("\n")[1],
    '<A x="&quot;"><B/></A>'.replace("<B/>", "<B></B>"),
  );
});
