/** What a row of the access log can be about. Reads can be sampled; the others always have a row. */
export const ACCESS_ACTIONS = {
  "file.download": "read",
  "file.grant": "read",
  "file.list": "read",
  "file.upload": "write",
  "file.copy": "write",
  "file.delete": "write",
  "object.get": "read",
  "object.head": "read",
  "object.list": "read",
  "object.put": "write",
  "object.copy": "write",
  "object.delete": "write",
  "image.pull": "read",
  "image.list": "read",
  "image.push": "write",
  "image.delete": "write",
  "query.run": "read",
  "export.run": "read",
  "event.read": "read",
  "audit.read": "read",
  "logs.tail": "read",
} as const satisfies Readonly<Record<string, "read" | "write">>;

export type AccessAction = keyof typeof ACCESS_ACTIONS;
