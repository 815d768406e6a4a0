import { XmlNode, XmlText } from "@aws-sdk/xml-builder";

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

/** A value of a document that is sent: undefined is left out, a list repeats its element. */
export type Value = string | number | boolean | undefined | null | Content | readonly Value[];
/** Elements by name; `@name` is an attribute. */
export interface Content {
  readonly [name: string]: Value;
}

/** A whole document. @param namespace false for errors, which have none */
export function renderDocument(root: string, content: Value, namespace = true): string {
  const node = new XmlNode(root);
  if (namespace) node.addAttribute("xmlns", NAMESPACE);
  fill(node, content);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${node.toString()}`;
}

function fill(node: XmlNode, value: Value): void {
  if (value === undefined || value === null) return;
  if (typeof value !== "object") {
    node.addChildNode(new EscapedText(String(value)));
    return;
  }
  for (const [name, child] of Object.entries(value as Content)) append(node, name, child);
}

function append(node: XmlNode, name: string, value: Value): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) for (const item of value as readonly Value[]) append(node, name, item);
  else if (name.startsWith("@")) node.addAttribute(name.slice(1), value);
  else {
    const child = new XmlNode(name);
    fill(child, value);
    node.addChildNode(child);
  }
}

/** Characters that XML 1.0 has no form for are sent as references, as S3 does: keys may have them. */
class EscapedText extends XmlText {
  override toString(): string {
    return (
      super
        .toString()
        // oxlint-disable-next-line no-control-regex -- they are what it is about
        .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, (char) => `&#x${char.charCodeAt(0).toString(16)};`)
    );
  }
}
