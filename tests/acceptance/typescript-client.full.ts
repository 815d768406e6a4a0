/** The examples of docs/how-to/typescript-client.md, run as they are on the page. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Webhook } from "standardwebhooks";
import { useSharedServer } from "../fixtures/server.ts";
import { eventually } from "../fixtures/process.ts";
import { pageFiles } from "../fixtures/page-files.ts";

const shared = useSharedServer();
let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "mooring-examples-"));
  for (const [name, text] of pageFiles("docs/how-to/typescript-client.md")) writeFileSync(join(folder, name), text);
});
after(() => rmSync(folder, { recursive: true, force: true }));

function environment(): Record<string, string> {
  const { client_id: id, client_secret: secret } = shared.home.credential;
  return { MOORING_URL: shared.server.origin, MOORING_CLIENT_ID: id, MOORING_CLIENT_SECRET: secret };
}

/** A program of the page, and what it prints. */
function run(name: string, env: Record<string, string>): { child: ChildProcess; printed: () => string } {
  const child = spawn(process.execPath, [join(folder, name)], { env: { PATH: process.env["PATH"], ...env } });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  return { child, printed: () => printed };
}

test("telemetry is sent from Node, and found by a query", async () => {
  const { child, printed } = run("send.mjs", environment());
  const [code] = (await once(child, "close")) as [number];
  assert.equal(code, 0, printed());
  assert.match(printed(), /level: 'error', message: 'card refused'|'error', 'card refused'/);
});

test("a file is uploaded to the URL that the application's server got", async () => {
  const script = `
    import { grant } from ${JSON.stringify(pathToFileURL(join(folder, "grant.mjs")).href)};
    import { upload } from ${JSON.stringify(pathToFileURL(join(folder, "upload.mjs")).href)};
    const file = new File(["a,b"], "costs.csv", { type: "text/csv" });
    const { upload_url: url } = await grant(file.name, file.type);
    console.log(JSON.stringify(await upload(file, url)));
    console.log(await upload(file, url.replace("file_", "file_x")).catch((error) => "refused: " + error.message));`;
  writeFileSync(join(folder, "both.mjs"), script);
  const { child, printed } = run("both.mjs", environment());
  await once(child, "close");
  assert.match(printed(), /"filename":"costs.csv","content_type":"text\/csv","size_bytes":3/);
  assert.match(printed(), /^refused: ./m);
});

test("a receiver accepts genuine messages and refuses others", async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const { child, printed } = run("receive.mjs", { WEBHOOK_SECRET: secret });
  try {
    const url = await eventually("the address of the receiver", () => /^(http:\S+)\n/.exec(printed())?.[1]);
    const send = async (signer: string): Promise<number> => {
      const at = new Date();
      const fields = {
        "webhook-id": "msg_1",
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(signer).sign("msg_1", at, "{}"),
      };
      return (await fetch(url, { method: "POST", body: "{}", headers: fields })).status;
    };
    assert.equal(await send(secret), 204);
    assert.equal(await send(`whsec_${Buffer.alloc(32, 8).toString("base64")}`), 401);
    assert.match(printed(), /genuine: msg_1\ncannot verify the webhook: none of its signatures/);
  } finally {
    child.kill();
    await once(child, "close");
  }
});
