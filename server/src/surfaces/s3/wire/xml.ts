const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

/** A value in an answer's document: undefined is left out, a list repeats its element. */
export type Value = string | number | boolean | undefined | null | Content | readonly Value[];
/** Elements by name; `@name` is an attribute. */
export interface Content {
  readonly [name: string]: Value;
}

/** Renders a whole document. @param namespace false for errors, which have none */
export function renderDocument(root: string, content: Value, namespace = true): string {
  const attributes = namespace ? ` xmlns="${NAMESPACE}"` : "";
  return `<?xml version="1.0" encoding="UTF-8"?>\n${renderElement(root, content, attributes)}`;
}

/** Joins text directly: a tree of nodes doubled the cost of an answer with a thousand long keys. */
function renderElement(name: string, value: Value, attributes = ""): string {
  if (value === undefined || value === null) return `<${name}${attributes}/>`;
  if (typeof value !== "object") return `<${name}${attributes}>${escapeText(String(value))}</${name}>`;
  let open = `<${name}${attributes}`;
  let children = "";
  for (const [child, content] of Object.entries(value as Content)) {
    if (content === undefined || content === null) continue;
    if (child.startsWith("@")) open += ` ${child.slice(1)}="${escapeText(attributeText(content))}"`;
    else children += renderElements(child, content);
  }
  return children === "" ? `${open}/>` : `${open}>${children}</${name}>`;
}

/** Renders an attribute, which is a string, a number or a boolean. */
function attributeText(value: Value): string {
  if (typeof value === "object") throw new TypeError("an attribute can't have elements");
  return String(value);
}

function renderElements(name: string, value: Value): string {
  if (value === undefined || value === null) return "";
  if (!Array.isArray(value)) return renderElement(name, value);
  let all = "";
  for (const item of value as readonly Value[]) all += renderElements(name, item);
  return all;
}

const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  '"': "&quot;",
  "'": "&apos;",
  "<": "&lt;",
  ">": "&gt;",
  "\n": "&#x0A;",
  "\r": "&#x0D;",
};
/**
 * Characters that have a meaning in XML, that a parser would change, or that XML 1.0 does not allow. S3 sends them as
 * references, because keys may contain them.
 */
// oxlint-disable-next-line no-control-regex -- these characters must be escaped
const ESCAPED = /[&"'<>\x00-\x08\x0a-\x1f\x85\u2028\ufffe\uffff]/g;

function escapeText(text: string): string {
  return text.replace(ESCAPED, (char) => REFERENCES[char] ?? `&#x${char.charCodeAt(0).toString(16)};`);
}
