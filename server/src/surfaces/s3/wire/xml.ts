import { XmlNode, XmlText } from "@aws-sdk/xml-builder";
import { parseXml, XmlCdata, XmlDocumentType, XmlElement, XmlText as ParsedText } from "@rgrove/parse-xml";
import { S3Error } from "#domain/s3/index.ts";

const DEPTH_MAX = 16;
const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

/** An element of a request's document. Names have no prefix of a namespace. */
export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  /** Character data of the element itself. */
  readonly text: string;
}

/**
 * Reads a document: no document type, so no entities but the five and character references, and no deep nesting.
 * @param roots names that its root may have
 * @throws S3Error `MalformedXML`
 */
export function parseDocument(bytes: Uint8Array, ...roots: readonly string[]): Element {
  let root: Element;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const document = parseXml(text, { preserveDocumentType: true });
    if (document.root === null || document.children.some((node) => node instanceof XmlDocumentType))
      throw new Error("there is a document type, or no element");
    root = elementOf(document.root, 1);
  } catch (cause) {
    // A stack that overflows is among them: nesting without an end.
    throw new S3Error("MalformedXML", undefined, { cause });
  }
  if (!roots.includes(root.name)) throw new S3Error("MalformedXML", `The root element must be ${roots.join(" or ")}.`);
  return root;
}

function elementOf(source: XmlElement, depth: number): Element {
  if (depth > DEPTH_MAX) throw new Error("nested too deeply");
  const children: Element[] = [];
  let text = "";
  for (const node of source.children) {
    if (node instanceof XmlElement) children.push(elementOf(node, depth + 1));
    else if (node instanceof ParsedText || node instanceof XmlCdata) text += node.text;
  }
  const attributes = new Map(Object.entries(source.attributes).map(([name, value]) => [localName(name), value]));
  return { name: localName(source.name), attributes, children, text };
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

export function childrenOf(element: Element, name: string): Element[] {
  return element.children.filter((child) => child.name === name);
}

/** @throws S3Error `MalformedXML` when it is there more than once */
export function childOf(element: Element, name: string): Element | undefined {
  const children = childrenOf(element, name);
  if (children.length > 1) throw new S3Error("MalformedXML", `${name} stands more than once in ${element.name}.`);
  return children[0];
}

/** Text of the child; undefined when there is none. @throws S3Error `MalformedXML` when it is there more than once */
export function textIn(element: Element, name: string): string | undefined {
  return childOf(element, name)?.text;
}

/** @throws S3Error `MalformedXML` when it is missing */
export function requiredText(element: Element, name: string): string {
  const text = textIn(element, name);
  if (text === undefined) throw new S3Error("MalformedXML", `${name} is missing in ${element.name}.`);
  return text;
}

/** A whole number that is not negative. @throws S3Error `MalformedXML` */
export function numberIn(element: Element, name: string): number | undefined {
  const text = textIn(element, name)?.trim();
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,15}$/.test(text)) throw new S3Error("MalformedXML", `${name} must be a whole number.`);
  return Number(text);
}

/** @throws S3Error `MalformedXML` */
export function booleanIn(element: Element, name: string): boolean | undefined {
  const text = textIn(element, name)?.trim().toLowerCase();
  if (text === undefined) return undefined;
  if (text !== "true" && text !== "false") throw new S3Error("MalformedXML", `${name} must be true or false.`);
  return text === "true";
}

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
