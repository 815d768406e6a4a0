import { rmSync, writeFileSync } from "node:fs";
import { indented, type Bootstrapped, type Stop } from "./context.ts";

export const bootstrap: Stop = {
  title: "An organization, a project, an app and a credential",
  run: async (context) => {
    const words = ["bootstrap", "--data-dir", context.dataDir, "--org", "demo", "--project", "tour", "--app", "sample"];
    const made = JSON.parse(await context.mooring([...words, "--json"])) as Bootstrapped;
    context.bootstrapped = made;
    rmSync(context.credentialsFile, { force: true });
    writeFileSync(context.credentialsFile, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
    const { org, project, app, addresses, credential } = made;
    context.print(indented(`mooring ${words.join(" ")} --json > ${context.credentialsFile}`));
    context.print("");
    context.print(indented(`organization ${org.slug} (${org.id}), project ${project.slug}, app ${app.slug}`));
    context.print(indented(`credential ${credential.client_id}; its secret is in the file, which only you can read`));
    for (const [name, address] of Object.entries(addresses))
      context.print(indented(`${name.padEnd(16)}${String(address)}`));
    context.remember(`one organization, found or created, and a new credential for it`);
  },
};
