import { after, before, describe } from "node:test";
import { postgresMissing, startPostgres, type PostgresServer } from "../../../../../tests/fixtures/postgres-server.ts";
import { objectContract } from "../testing/suite.ts";
import { filesystemPlace } from "./testing.ts";

describe("objects with records in PostgreSQL", { skip: postgresMissing() ?? false }, () => {
  let server: PostgresServer;
  let databases = 0;

  before(async () => {
    server = await startPostgres();
  });
  after(async () => server.stop());

  objectContract("filesystem and PostgreSQL", async () => {
    const name = `objects_${++databases}`;
    const place = await filesystemPlace(await server.createDatabase(name));
    const remove = async (): Promise<void> => {
      await place.remove();
      await server.dropDatabase(name);
    };
    return { ...place, remove };
  });
});
