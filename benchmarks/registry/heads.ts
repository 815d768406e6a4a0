import { connect } from "node:net";
import { authorizationOf, type Target } from "./target.ts";

const END = Buffer.from("\r\n\r\n");

/** Measures HEAD requests a second, one after the other on each connection. A blank line ends each answer, because it has no body. */
export async function headsPerSecond(
  target: Target,
  path: string,
  load: { readonly connections: number; readonly durationMs: number },
): Promise<number> {
  const { host, port } = target;
  const accept = "application/vnd.oci.image.manifest.v1+json";
  const fields = Object.entries({ host: `${host}:${port}`, accept, ...authorizationOf(target) });
  const request = Buffer.from(
    `HEAD ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
  );
  const until = performance.now() + load.durationMs;
  const counts = await Promise.all(
    Array.from({ length: load.connections }, () => oneAfterAnother(host, port, request, until)),
  );
  return counts.reduce((sum, count) => sum + count, 0) / (load.durationMs / 1000);
}

function oneAfterAnother(host: string, port: number, request: Buffer, until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let answered = 0;
    let rest: Buffer = Buffer.alloc(0);
    const socket = connect({ host, port, noDelay: true }, () => socket.write(request));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = rest.indexOf(END);
      if (end === -1) return;
      if (!rest.toString("latin1", 0, 12).startsWith("HTTP/1.1 200")) return reject(new Error(rest.toString()));
      rest = rest.subarray(end + END.length);
      answered += 1;
      if (performance.now() < until) return void socket.write(request);
      resolve(answered);
      socket.destroy();
    });
  });
}
