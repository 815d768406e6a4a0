import Type from "typebox";

const connections = Type.Integer({ minimum: 2, maximum: 500 });

/** The database of the records. */
export const DATABASE_SETTINGS = {
  database_url: {
    schema: Type.Union([Type.Null(), Type.String({ pattern: "^postgres(ql)?://" })]),
    default: null,
    form: "an address that begins with postgres://",
    description: "PostgreSQL database for the records; without it, they are in SQLite in the data directory",
    secret: true,
    secretUrl: true,
  },
  database_wait_ms: {
    schema: Type.Integer({ minimum: 100, maximum: 60_000 }),
    default: 5000,
    description:
      "longest time that a change waits for the lock of another change, on any node; then the caller gets 503. If a node stops, its transaction is rolled back after half of this time",
  },
  database_read_connections: {
    schema: connections,
    default: 10,
    description: "connections of this node to PostgreSQL that read. It has one more, which listens for notifications",
  },
  database_write_connections: {
    schema: connections,
    default: 10,
    description: "connections of this node to PostgreSQL that write",
  },
} as const;
