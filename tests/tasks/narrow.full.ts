/** A program gets only what it needs: made in three ways, each credential does its task and is refused elsewhere. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { putObject } from "../fixtures/buckets.ts";
import { registryRefused, registryToken, send } from "../fixtures/registry.ts";
import type { Client } from "../fixtures/server.ts";
import { ingested, logEntry, rows } from "../fixtures/telemetry.ts";
import { NO_CHROMIUM, usePortal } from "../portal/browser.ts";
import { api, command, openPage } from "./world.ts";

interface Task {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly resources: object;
  readonly options: readonly string[];
  /** The name of the template of the form, and the field with its text. */
  readonly form: readonly [template: string, field: string, text: string];
  prove(client: Client): Promise<void>;
}

describe("a program gets only what it needs", () => {
  const portal = usePortal();
  const token = (client: Client): Promise<string> => portal.shared.server.token(client);
  const sends = async (client: Client, service: string, status: number): Promise<void> => {
    const json = { entries: [logEntry("hello", { service })] };
    await api(portal, "POST", "/v1/ingest/logs", { token: await token(client), json, status });
  };

  before(async () => {
    const { server, token: all } = portal.shared;
    for (const slug of ["images", "other", "uploads"])
      await api(portal, "POST", "/v1/apps", { json: { project: "shop", slug } });
    for (const key of ["in/a", "out/a"]) await putObject(server, all, { bucket: "uploads", key });
    const entries = ["checkout", "search"].map((service) => logEntry(`from ${service}`, { service }));
    await ingested(server, all, "logs", entries);
  });

  const TASKS: readonly Task[] = [
    {
      name: "CI pushes to one repository only",
      scopes: ["registry:pull", "registry:push"],
      resources: { repositories: ["images"] },
      options: ["--repository", "images"],
      form: ["CI pushes one image", "Repositories", "images"],
      prove: async (client) => {
        const { server, home } = portal.shared;
        const at = async (app: string) => {
          const name = `orgs/${home.org.slug}/${app}`;
          const auth = await registryToken(server.origin, [`repository:${name}:pull,push`], client);
          return send(server.origin, "POST", `/v2/${name}/blobs/uploads/`, { auth });
        };
        assert.equal((await at("images")).status, 202);
        registryRefused(await at("other"), 403, "DENIED", "limited to certain repositories");
      },
    },
    {
      name: "an app reads its folder of a bucket",
      scopes: ["s3:read"],
      resources: { buckets: [{ name: "uploads", prefix: "in/" }] },
      options: ["--bucket", "uploads/in/"],
      form: ["App reads its bucket", "Buckets", "uploads/in/"],
      prove: async (client) => {
        const get = async (bucket: string, key: string, status: number) =>
          api(portal, "GET", `/v1/buckets/${bucket}/object?key=${key}`, { token: await token(client), status });
        await get("uploads", "in/a", 200);
        await get("uploads", "out/a", 403);
        await get("other", "in/a", 404);
      },
    },
    {
      name: "an agent sends the logs of one service",
      scopes: ["telemetry:write"],
      resources: { services: ["checkout"] },
      options: ["--service", "checkout"],
      form: ["Agent sends logs", "Services", "checkout"],
      prove: async (client) => {
        await sends(client, "checkout", 202);
        await sends(client, "search", 400);
        await api(portal, "POST", "/v1/query", { token: await token(client), json: { sql: "select 1" }, status: 403 });
      },
    },
    {
      name: "a dashboard reads one service",
      scopes: ["telemetry:read"],
      resources: { services: ["search"] },
      options: ["--service", "search"],
      form: ["Dashboard reads", "Services", "search"],
      prove: async (client) => {
        const seen = await rows(portal.shared.server, await token(client), "select distinct service from logs");
        assert.deepEqual(seen, [{ service: "search" }]);
        await sends(client, "search", 403);
      },
    },
  ];

  async function byForm({ name, form: [template, field, text] }: Task): Promise<Client> {
    const tab = await openPage(portal, "credentials?new=true");
    const { page } = tab;
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: template }).click();
    await dialog.getByLabel("Name", { exact: true }).fill(name);
    await dialog.getByRole("textbox", { name: field }).fill(text);
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    await dialog.getByRole("button", { name: "I have saved the secret" }).waitFor();
    const shown = await dialog.innerText();
    await tab.close();
    const [client_id = ""] = /mrc_\w+/.exec(shown) ?? [];
    const [client_secret = ""] = /mrcs_[\w-]+/.exec(shown) ?? [];
    return { client_id, client_secret };
  }

  for (const task of TASKS) {
    test(task.name, { skip: NO_CHROMIUM }, async () => {
      const { name, scopes, resources, options } = task;
      await task.prove(
        (await api<unknown>(portal, "POST", "/v1/credentials", { json: { name, scopes, resources } })) as Client,
      );
      const words = ["credential", "create", "--name", name, "--scope", scopes.join(","), ...options, "--json"];
      await task.prove(await command<Client & Record<string, unknown>>(portal, words));
      await task.prove(await byForm(task));
    });
  }
});
