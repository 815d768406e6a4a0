import { parseXml, XmlCdata, XmlDocumentType, XmlElement, XmlText as ParsedText } from "@rgrove/parse-xml";

const DEPTH_MAX = 16;
/** Elements and attributes that most operations accept in a document. */
const ELEMENTS_MAX = 5000;

/** A document that is not well-formed, or not the one that the operation needs. */
export class XmlFault extends Error {
  /** The fault to report to the client; undefined: the XML is not well-formed. */
  readonly detail: string | undefined;

  constructor(detail?: string, cause?: unknown) {
    super(detail ?? "the XML is not well-formed", cause === undefined ? {} : { cause });
    this.name = "XmlFault";
    this.detail = detail;
  }
}

/** An element of a request's document. Names have no prefix of a namespace. */
export interface Element {
  readonly name: string;
  readonly children: readonly Element[];
  /** The character data of the element itself. */
  readonly text: string;
}

/**
 * Parses a document. Refuses document types, entities other than the five predefined ones and character references,
 * deep nesting, and more elements than the operation allows. A document that is too large is refused before it is
 * parsed.
 * @param name of the root element
 * @throws XmlFault
 */
export function parseDocument(bytes: Uint8Array, name: string, elementsMax = ELEMENTS_MAX): Element {
  let root: Element;
  if (hasMoreElements(bytes, elementsMax))
    throw new XmlFault(`The document has more than ${elementsMax} elements and attributes.`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const document = parseXml(text, { preserveDocumentType: true });
    if (document.root === null || document.children.some((node) => node instanceof XmlDocumentType))
      throw new Error("the document has a document type, or no element");
    root = elementOf(document.root, 1);
  } catch (cause) {
    // Also catches a stack overflow by deep nesting.
    throw new XmlFault(undefined, cause);
  }
  if (root.name !== name) throw new XmlFault(`The root element must be ${name}.`);
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
  return { name: localName(source.name), children, text };
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

export function childrenOf(element: Element, name: string): Element[] {
  return element.children.filter((child) => child.name === name);
}

/** @throws XmlFault when the child is repeated */
export function childOf(element: Element, name: string): Element | undefined {
  const children = childrenOf(element, name);
  if (children.length > 1) throw new XmlFault(`${name} is repeated in ${element.name}.`);
  return children[0];
}

/**
 * Returns the text of a child; undefined when there is none.
 * @throws XmlFault when it is repeated
 */
export function textIn(element: Element, name: string): string | undefined {
  return childOf(element, name)?.text;
}

/** @throws XmlFault when it is missing */
export function requiredText(element: Element, name: string): string {
  const text = textIn(element, name);
  if (text === undefined) throw new XmlFault(`${name} is missing in ${element.name}.`);
  return text;
}

/** Returns a child as a whole number ≥ 0. @throws XmlFault */
export function numberIn(element: Element, name: string): number | undefined {
  const text = textIn(element, name)?.trim();
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,15}$/.test(text)) throw new XmlFault(`${name} must be a whole number.`);
  return Number(text);
}

/** @throws XmlFault */
export function booleanIn(element: Element, name: string): boolean | undefined {
  const text = textIn(element, name)?.trim().toLowerCase();
  if (text === undefined) return undefined;
  if (text !== "true" && text !== "false") throw new XmlFault(`${name} must be true or false.`);
  return text === "true";
}

const [LESS, SLASH, EQUALS, QUOTE, APOSTROPHE] = [0x3c, 0x2f, 0x3d, 0x22, 0x27];

/** Counts elements and attribute values. A comment counts as an element, because it costs as much. */
function hasMoreElements(bytes: Uint8Array, max: number): boolean {
  let count = 0;
  for (let i = 0; i < bytes.length && count <= max; i++) {
    const [byte, next] = [bytes[i], bytes[i + 1]];
    if (byte === LESS && next !== SLASH) count += 1;
    else if (byte === EQUALS && (next === QUOTE || next === APOSTROPHE)) count += 1;
  }
  return count > max;
}
