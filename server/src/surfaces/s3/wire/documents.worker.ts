import { serveThread } from "#kernel/thread.ts";
import type { DocumentRequest } from "./documents.ts";
import { readers } from "./readers.ts";
import { XmlFault } from "./xml-tree.ts";

/** A thread that reads large documents. It knows the wire alone, so that it starts at once and is small. */
serveThread(
  ({ name, bytes }: DocumentRequest) => JSON.stringify(readers[name](bytes)),
  (error) => (error instanceof XmlFault ? { detail: error.detail } : undefined),
);
