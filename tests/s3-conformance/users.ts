/** The users of the suite: two projects of one organization, which own their buckets, and another organization. */
import { s3EndpointOf, s3UrlOf, type S3Endpoint } from "../fixtures/s3.ts";
import type { Server } from "../fixtures/server.ts";
import type { SuiteUser, SuiteUsers } from "./suite.ts";

export async function suiteUsers(server: Server): Promise<SuiteUsers> {
  const home = await server.bootstrap();
  const token = await server.token(home.credential);
  // Projects without an app, because the suite expects no buckets except its own.
  const main = await created<{ id: string; slug: string }>(server, token, "/v1/projects", { slug: "main-project" });
  const alt = await created<{ id: string; slug: string }>(server, token, "/v1/projects", { slug: "alt-project" });
  const other = await server.bootstrap({ org: "other", project: "tenant-project", app: "tenant" });
  return {
    main: await userOf(server, token, main),
    alt: await userOf(server, token, alt),
    tenant: { id: other.org.id, displayName: other.org.slug, endpoint: await s3EndpointOf(server, other) },
  };
}

async function userOf(server: Server, token: string, project: { id: string; slug: string }): Promise<SuiteUser> {
  const body = { name: `suite ${project.slug}`, project: project.slug };
  const key = await created<{ access_key_id: string; secret_access_key: string }>(server, token, "/v1/s3/keys", body);
  const endpoint: S3Endpoint = {
    url: await s3UrlOf(server),
    region: "us-east-1",
    accessKeyId: key.access_key_id,
    secretAccessKey: key.secret_access_key,
    bucket: "",
  };
  return { id: project.id, displayName: project.slug, endpoint };
}

async function created<T>(server: Server, token: string, path: string, json: unknown): Promise<T> {
  const answer = await server.call<T>("POST", path, { token, json });
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}
