/** Requests through a real proxy: Apache with mod_proxy_connect. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer, type Server } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemClock } from "#kernel/time.ts";
import { makeCertificates } from "../../../../tests/fixtures/certificates.ts";
import { freePort } from "../../../../tests/fixtures/ports.ts";
import { eventually } from "../../../../tests/fixtures/process.ts";
import {
  createOutbound,
  fetchThrough,
  OutboundError,
  parseProxy,
  type Outbound,
  type OutboundOptions,
} from "./index.ts";
import { systemResolve } from "./resolve.ts";
import { startNameServer, type NameServer } from "./testing/name-server.ts";

const APACHE = "/usr/sbin/apache2";
const MODULES = "/usr/lib/apache2/modules";
const skip = existsSync(`${MODULES}/mod_proxy_connect.so`) ? false : "apache2-bin is not installed";

describe("the egress proxy", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "mooring-proxy-"));
  const files = makeCertificates(directory);
  const ca = readFileSync(files.caFile, "utf8");
  let apache: ChildProcess;
  let receiver: Server;
  let names: NameServer;
  let proxyPort = 0;
  let port = 0;
  let resolved: readonly string[] = ["127.0.0.1"];

  before(async () => {
    proxyPort = await freePort();
    receiver = createSecureServer(
      { cert: readFileSync(files.certificateFile), key: readFileSync(files.keyFile) },
      (request, response) => void response.end(JSON.stringify({ host: request.headers.host })),
    );
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    port = (receiver.address() as AddressInfo).port;
    names = await startNameServer({ "receiver.localhost.example": () => resolved, "private.example": ["10.0.0.1"] });
    writeFileSync(join(directory, "passwords"), "egress:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n"); // "password"
    writeFileSync(join(directory, "apache.conf"), configuration());
    apache = spawn(APACHE, ["-X", "-f", join(directory, "apache.conf")], { stdio: "inherit" });
    await eventually("Apache to listen", async () => {
      const socket = connect(proxyPort, "127.0.0.1");
      const isOpen = await once(socket, "connect").then(
        () => true,
        () => null,
      );
      socket.destroy();
      return isOpen;
    });
  });

  after(async () => {
    apache.kill("SIGTERM");
    await once(apache, "exit");
    receiver.close();
    receiver.closeAllConnections();
    await names.close();
    rmSync(directory, { recursive: true });
  });

  function configuration(): string {
    const modules = [
      "mpm_event",
      "authn_core",
      "authn_file",
      "auth_basic",
      "authz_core",
      "authz_user",
      "proxy",
      "proxy_connect",
    ];
    return `ServerName proxy.example
ServerRoot ${directory}
Listen 127.0.0.1:${proxyPort}
PidFile ${directory}/apache.pid
Mutex file:${directory}
ErrorLog ${directory}/error.log
${modules.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join("\n")}
ProxyRequests On
ProxyVia Off
AllowCONNECT ${port}
<Proxy "*">
  AuthType Basic
  AuthName egress
  AuthUserFile ${directory}/passwords
  Require valid-user
</Proxy>
`;
  }

  function outbound(
    options: Partial<OutboundOptions> & { bypass?: string[]; trust?: boolean; url?: string } = {},
  ): Outbound {
    const { bypass = [], trust = false, url = `http://egress:password@127.0.0.1:${proxyPort}`, ...rest } = options;
    return createOutbound({
      privateAddresses: false,
      allowedAddresses: ["127.0.0.1/32"],
      clock: systemClock,
      userAgent: "Test/1",
      resolve: systemResolve({ hosts: false, servers: [names.address] }),
      resolvedMs: 0,
      ca,
      proxy: parseProxy({ url, bypass, trustsNames: trust }),
      ...rest,
    });
  }

  const post = (to: Outbound, url: string) =>
    to.post({ url, headers: {}, body: "x", signal: new AbortController().signal });

  async function refused(promise: Promise<unknown>, code: string, message?: RegExp): Promise<void> {
    await assert.rejects(promise, (error: unknown) => {
      assert.ok(error instanceof OutboundError, String(error));
      assert.equal(error.code, code, error.message);
      if (message !== undefined) assert.match(error.message, message);
      return true;
    });
  }

  test("an address and a name with a valid certificate are reached, on a kept connection", async () => {
    let connections = 0;
    const count = (): void => void (connections += 1);
    receiver.on("connection", count);
    const to = outbound();
    for (let n = 0; n < 3; n++) assert.equal((await post(to, `https://127.0.0.1:${port}/`)).status, 200);
    assert.equal(connections, 1);
    receiver.off("connection", count);
  });

  test("the certificate is checked for the name, not for the address", async () => {
    await refused(post(outbound(), `https://receiver.localhost.example:${port}/`), "tls_failed");
  });

  test("without the proxy's password, and to a port that it refuses, there is no connection", async () => {
    const anonymous = outbound({ url: `http://127.0.0.1:${proxyPort}` });
    await refused(post(anonymous, `https://127.0.0.1:${port}/`), "connection_failed", /proxy made no connection.*407/);
    await refused(post(outbound(), "https://127.0.0.1:1/"), "connection_failed", /proxy made no connection.*403/);
    const gone = outbound({ url: "http://127.0.0.1:1" });
    await refused(post(gone, `https://127.0.0.1:${port}/`), "connection_failed", /proxy made no connection/);
  });

  test("private addresses are refused before the proxy is asked, also by names", async () => {
    for (const url of ["https://10.0.0.1/", "https://169.254.169.254/", "https://[::1]/", "https://private.example/"])
      await refused(post(outbound(), url), "destination_refused");
    for (const url of ["https://10.0.0.1/", "https://169.254.169.254/", "https://[::1]/"])
      await refused(post(outbound({ trust: true }), url), "destination_refused");
  });

  test("a name that changes its address (rebinding) never reaches the new one: the proxy gets the checked address", async () => {
    const targets: string[] = [];
    const recorder = createServer();
    recorder.on("connect", (request, socket) => {
      targets.push(String(request.url));
      resolved = ["10.0.0.1"];
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    recorder.listen(0, "127.0.0.1");
    await once(recorder, "listening");
    const url = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
    const to = outbound({ url });
    await refused(post(to, `https://receiver.localhost.example:${port}/`), "connection_failed", /403/);
    await refused(post(to, `https://receiver.localhost.example:${port}/`), "destination_refused");
    resolved = ["127.0.0.1"];
    const trusting = outbound({ url, trust: true });
    await refused(post(trusting, `https://receiver.localhost.example:${port}/`), "connection_failed", /403/);
    assert.deepEqual(targets, [`127.0.0.1:${port}`, `receiver.localhost.example:${port}`]);
    recorder.close();
    resolved = ["127.0.0.1"];
  });

  test("bypassed addresses and names are reached directly, and are still checked", async () => {
    const options = { url: "http://127.0.0.1:1" };
    const direct = outbound({ ...options, bypass: ["127.0.0.0/8", "private.example"] });
    assert.equal((await post(direct, `https://127.0.0.1:${port}/`)).status, 200);
    await refused(post(direct, "https://private.example/"), "destination_refused");
  });

  test("fetch for the OpenID provider leads through the proxy", async () => {
    const proxy = parseProxy({ url: `http://egress:password@127.0.0.1:${proxyPort}`, bypass: [], trustsNames: false });
    const fetched = fetchThrough(proxy)(`https://127.0.0.1:${port}/`, { method: "GET", headers: {} });
    await assert.rejects(fetched, /certificate/, "the tunnel stands, and the unknown authority is refused");
  });
});
