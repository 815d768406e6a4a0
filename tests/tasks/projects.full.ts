/** Projects, their apps and their files: a new project from the terminal, an app that moves, a file that comes back. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { listed, uploaded } from "../fixtures/files.ts";
import { NO_CHROMIUM, usePortal } from "../portal/browser.ts";
import { api, command, openPage } from "./world.ts";

interface Project {
  readonly id: string;
  readonly slug: string;
  readonly environment: string | null;
}

describe("projects", () => {
  const portal = usePortal();

  test("a new project", { skip: NO_CHROMIUM }, async () => {
    await api(portal, "POST", "/v1/projects", { json: { slug: "by-api", environment: "staging" } });
    await command(portal, ["project", "create", "--slug", "by-command", "--environment", "staging"]);
    const tab = await openPage(portal, "projects");
    const { page } = tab;
    await page.getByRole("button", { name: "Create project" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("By page");
    await dialog.getByLabel("Environment").fill("staging");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.waitFor({ state: "detached" });
    await tab.close();
    const { items } = await api<{ items: Project[] }>(portal, "GET", "/v1/projects?environment=staging");
    assert.deepEqual(items.map(({ slug }) => slug).toSorted(), ["by-api", "by-command", "by-page"]);
  });

  test("an app moves to another project", { skip: NO_CHROMIUM }, async () => {
    for (const slug of ["from", "to"]) await api(portal, "POST", "/v1/projects", { json: { slug } });
    const apps = ["app-one", "app-two", "app-three"];
    for (const slug of apps) await api(portal, "POST", "/v1/apps", { json: { project: "from", slug } });
    await api(portal, "POST", "/v1/apps/app-one/move", { json: { project: "to" } });
    await command(portal, ["app", "move", "app-two", "--project", "to"]);
    const { id } = await api<Project>(portal, "GET", "/v1/projects/from");
    const tab = await openPage(portal, `projects?open=${id}`);
    const { page } = tab;
    await page.getByRole("button", { name: "Move…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("To").selectOption({ label: "to (to)" });
    await dialog.getByRole("button", { name: "Move the app" }).click();
    await dialog.waitFor({ state: "detached" });
    await tab.close();
    for (const slug of apps) {
      const app = await api<{ project_slug: string }>(portal, "GET", `/v1/apps/${slug}`);
      assert.equal(app.project_slug, "to", slug);
    }
  });

  test("a deleted file comes back", { skip: NO_CHROMIUM }, async () => {
    const { server, token } = portal.shared;
    const files = await Promise.all(
      ["1.txt", "2.txt", "3.txt"].map((filename) => uploaded(server, token, { filename })),
    );
    const [first, second] = files;
    const names = async () => (await listed(server, token)).files.map(({ filename }) => filename).toSorted();
    for (const { id } of files) await api(portal, "DELETE", `/v1/files/${id}`);
    assert.deepEqual(await names(), []);
    await api(portal, "POST", `/v1/files/${first?.id ?? ""}/restore`);
    await command(portal, ["files", "restore", second?.id ?? ""]);
    const tab = await openPage(portal, "files");
    const { page } = tab;
    await page.getByRole("button", { name: "Trash", exact: true }).click();
    await page.getByRole("button", { name: "Restore 3.txt" }).click();
    await page.getByText("The trash is empty").waitFor();
    await tab.close();
    assert.deepEqual(await names(), ["1.txt", "2.txt", "3.txt"]);
  });
});
