import { serveThread } from "#kernel/thread.ts";
import type { DocumentRequest } from "./documents.ts";
import { readers } from "./readers.ts";
import { XmlFault } from "./xml-tree.ts";

/** A thread that parses large documents. It imports only `wire/`, so that it starts fast and stays small. */
serveThread(
  ({ name, bytes }: DocumentRequest) => JSON.stringify(readers[name](bytes)),
  (error) => (error instanceof XmlFault ? { detail: error.detail } : undefined),
);
