/** TLS of the main address and the S3 gateway: HTTP/2, certificates that are replaced under a running server, and the redirect. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { get, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { makeCertificates } from "../fixtures/certificates.ts";
import { grpcClient, logsRequest } from "../fixtures/grpc.ts";
import { newIngestKey } from "../fixtures/ingest-keys.ts";
import { freePort } from "../fixtures/ports.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { showLogs, startServer, type Server } from "../fixtures/server.ts";
import { trustAuthority } from "../fixtures/smoke.ts";
import { rows } from "../fixtures/telemetry.ts";

const directory = mkdtempSync(join(tmpdir(), "mooring-tls-"));
const first = made("first");
const undo = trustAuthority(first.caFile);
after(() => {
  undo();
  rmSync(directory, { recursive: true, force: true });
});

function made(name: string): ReturnType<typeof makeCertificates> {
  mkdirSync(join(directory, name));
  return makeCertificates(join(directory, name));
}

function printOf(certificateFile: string): string {
  return new X509Certificate(readFileSync(certificateFile)).fingerprint256;
}

async function connected(origin: string): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(origin);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return socket;
}

/** The fingerprint of the certificate that a new connection gets. */
async function served(origin: string): Promise<string> {
  const socket = await connected(origin);
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

async function serves(origin: string, certificateFile: string): Promise<void> {
  const wanted = printOf(certificateFile);
  await eventually("the new certificate", async () => ((await served(origin)) === wanted ? true : null), 20_000);
}

function curl(...words: string[]): string {
  return execFileSync("curl", ["-sS", "--max-time", "30", "--cacert", first.caFile, ...words], { encoding: "utf8" });
}

describe("certificates that are replaced", () => {
  let server: Server;
  let s3: string;
  // As Kubernetes mounts a secret: the file is a link through ..data, which is a link to a directory.
  const mount = join(directory, "mount");
  const at = { cert: join(mount, "tls.crt"), key: join(mount, "tls.key") };
  // As certbot and acme.sh leave them: plain files in a directory.
  const plain = join(directory, "plain");
  const own = { cert: join(plain, "s3.crt"), key: join(plain, "s3.key") };

  function swap(name: string, { certificateFile, keyFile }: ReturnType<typeof made>): void {
    const version = join(mount, `..${name}`);
    mkdirSync(version, { recursive: true });
    copyFileSync(certificateFile, join(version, "tls.crt"));
    copyFileSync(keyFile, join(version, "tls.key"));
    symlinkSync(`..${name}`, join(mount, "..data_new"));
    renameSync(join(mount, "..data_new"), join(mount, "..data"));
  }

  showLogs(() => [server]);
  before(async () => {
    mkdirSync(plain);
    swap("one", first);
    for (const name of ["tls.crt", "tls.key"]) symlinkSync(join("..data", name), join(mount, name));
    copyFileSync(first.certificateFile, own.cert);
    copyFileSync(first.keyFile, own.key);
    const tls = { tls_cert: at.cert, tls_key: at.key, s3_tls_cert: own.cert, s3_tls_key: own.key };
    server = await startServer({ settings: { ...tls, syslog_tls_listen: "127.0.0.1:0" } });
    const known = await server.call<Record<string, string>>("GET", "/.well-known/mooring");
    s3 = known.body["s3_endpoint"] ?? "";
  });
  after(() => server.dispose());

  const syslogOrigin = (): string => `tls://${/^\s*syslog\s+tls (\S+)$/m.exec(server.stdout())?.[1]}`;

  test("OTLP/gRPC and syslog use the certificate, and the main address has gRPC, too", async () => {
    const home = await server.bootstrap();
    const key = await newIngestKey(server, home);
    for (const origin of [server.grpcOrigin, server.origin]) {
      const client = grpcClient(origin, { ca: readFileSync(first.caFile) });
      const { code } = await client.call({ token: key, message: logsRequest("tls", [origin]) });
      const refused = await client.call({ message: logsRequest("tls", [origin]) });
      client.close();
      assert.deepEqual([code, refused.code], [0, 16], origin);
    }
    const socket = await connected(syslogOrigin());
    socket.end(`<13>1 - - tls - - [token@32473 key="${key}"] by syslog\n`);
    const token = await server.token(home.credential);
    await eventually("the rows", async () => {
      const found = await rows(server, token, "SELECT message FROM logs WHERE service = 'tls'");
      return found.length === 3 ? true : null;
    });
  });

  test("addresses are https, the log says what expires soon, and doctor shows it beside the running server", async () => {
    const { body } = await server.call("GET", "/.well-known/oauth-authorization-server");
    assert.match(String(body["issuer"]), /^https:\/\/127/);
    assert.match(s3, /^https:\/\/127/);
    assert.match(server.stderr(), /a certificate needs to be renewed/, "it is made for two days");
    const words = ["doctor", "--data-dir", server.dataDir, "--json", "--tls-cert", at.cert, "--tls-key", at.key];
    const { stdout } = await mooring(words, { environment: server.environment });
    const findings = JSON.parse(stdout) as { check: string; status: string; detail: string }[];
    const of = (check: string): string[] =>
      findings.filter((each) => each.check === check).map(({ status, detail }) => `${status} ${detail}`);
    assert.match(of("certificates").join("\n"), /^warn listen: IP Address:127\.0\.0\.1.*expires in 1 days$/m);
    assert.match(of("server").join("\n"), /^ok pid \d+ listens on .* and is healthy$/);
  });

  test("a link that leads elsewhere, as in Kubernetes: new connections get the new pair, open ones stay", async () => {
    const open = await connected(server.origin);
    const second = made("second");
    swap("two", second);
    for (const origin of [server.origin, server.grpcOrigin, syslogOrigin()])
      await serves(origin, second.certificateFile);
    assert.equal(open.destroyed, false);
    open.destroy();
    swap("three", first);
    await serves(server.origin, first.certificateFile);
  });

  test("files that are renamed over the old ones, and files that are written again", async () => {
    const second = made("renamed");
    for (const [from, to] of [
      [second.certificateFile, own.cert],
      [second.keyFile, own.key],
    ] as const) {
      copyFileSync(from, `${to}.new`);
      renameSync(`${to}.new`, to);
    }
    await serves(s3, second.certificateFile);
    const third = made("written");
    writeFileSync(own.cert, readFileSync(third.certificateFile));
    writeFileSync(own.key, readFileSync(third.keyFile));
    await serves(s3, third.certificateFile);
  });

  test("a pair that does not match is one error in the log, and the old pair stays until it is repaired", async () => {
    const before = await served(s3);
    const other = made("other");
    writeFileSync(own.cert, readFileSync(other.certificateFile));
    const errors = (): string[] =>
      server
        .stderr()
        .split("\n")
        .filter((line) => line.includes("cannot use the changed certificate"));
    await eventually("the error", () => (errors().length > 0 ? true : null), 20_000);
    writeFileSync(join(plain, "beside"), "another change in the directory");
    assert.equal(await served(s3), before);
    assert.match(errors()[0] ?? "", /does not belong to the key/);
    assert.doesNotMatch(errors()[0] ?? "", /PRIVATE/);
    writeFileSync(own.key, readFileSync(other.keyFile));
    await serves(s3, other.certificateFile);
    assert.equal(errors().length, 1);
  });
});

test("a server does not start with a pair that does not match, and says which files", async () => {
  const { certificateFile } = made("mismatch");
  const words = ["serve", "--data-dir", join(directory, "none"), "--listen", "127.0.0.1:0"];
  const { code, stderr } = await mooring([...words, "--tls-cert", certificateFile, "--tls-key", first.keyFile]);
  assert.notEqual(code, 0);
  assert.match(stderr, /cannot use tls_cert .*does not belong to the key in/);
});

describe("HTTP/2 and the redirect", () => {
  let server: Server;
  let redirect: string;

  showLogs(() => [server]);
  before(async () => {
    const port = await freePort();
    redirect = `http://127.0.0.1:${port}`;
    const settings = {
      tls_cert: first.certificateFile,
      tls_key: first.keyFile,
      http_redirect_listen: `127.0.0.1:${port}`,
    };
    server = await startServer({ settings });
  });
  after(() => server.dispose());

  test("curl gets HTTP/2, an upload of 100 MiB, and the same limits as with HTTP/1.1", async () => {
    const home = await server.bootstrap();
    const token = await server.token(home.credential);
    assert.equal(curl("-o", "/dev/null", "-w", "%{http_version}", `${server.origin}/health`), "2");
    const bytes = 100 * 1024 ** 2;
    const file = join(directory, "large.bin");
    writeFileSync(file, Buffer.alloc(bytes, "mooring"));
    const json = { filename: "large.bin", content_type: "text/plain", size_bytes: bytes };
    const grant = await server.call<{ data: { upload_url: string } }>("POST", "/v1/upload", { token, json });
    const shown = "\n%{http_version} %{http_code}";
    const put = curl("-T", file, "-H", "content-type: text/plain", "-w", shown, grant.body.data.upload_url);
    assert.match(put, /\n2 200$/);
    const entry = { timestamp: "2026-11-20T08:00:00Z", level: "info", message: "x".repeat(200_000) };
    const large = join(directory, "entries.json");
    writeFileSync(large, JSON.stringify({ entries: Array.from({ length: 60 }, () => entry) }));
    const post = ["-H", `authorization: Bearer ${token}`, "-H", "content-type: application/json"];
    const refused = curl(...post, "--data-binary", `@${large}`, "-w", shown, `${server.origin}/v1/ingest/logs`);
    assert.match(refused, /"code":"body_too_large"[\s\S]*\n2 413$/);
  });

  test("each request is redirected to the portal with its path, and not to the Host that the client names", async () => {
    const names = [new URL(redirect).host, "evil.example"];
    for (const host of names) {
      const [answer] = (await once(get(`${redirect}/o/acme?a=1`, { headers: { host } }), "response")) as [
        { statusCode: number; headers: Record<string, string>; resume(): void },
      ];
      answer.resume();
      assert.equal(`${answer.statusCode} ${answer.headers["location"]}`, `308 ${server.origin}/o/acme?a=1`);
    }
    const post = request(`${redirect}//evil.example/x`, { method: "POST", headers: { "content-length": 3 } });
    post.end("abc");
    const [answer] = (await once(post, "response")) as [
      { statusCode: number; headers: Record<string, string>; resume(): void },
    ];
    answer.resume();
    assert.equal(`${answer.statusCode} ${answer.headers["location"]}`, `308 ${server.origin}//evil.example/x`);
  });

  test("it is refused where the portal has no TLS", async () => {
    const words = ["serve", "--data-dir", join(directory, "none"), "--http-redirect-listen", "127.0.0.1:0"];
    const { code, stderr } = await mooring(words);
    assert.notEqual(code, 0);
    assert.match(stderr, /http_redirect_listen: needs tls_cert/);
  });
});
