import { connect } from "node:net";

// Readers of live tails that cost next to nothing: they only count the bytes. `readers.ts HOST PORT TOKEN COUNT SEARCH`

const [host = "", port = "", token = "", count = "1", search = ""] = process.argv.slice(2);
let bytes = 0;
let opened = 0;
for (let i = 0; i < Number(count); i++) {
  const socket = connect({ host, port: Number(port) });
  socket.write(
    `GET /v1/tail/logs${search} HTTP/1.1\r\nhost: ${host}:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  socket.once("data", () => {
    opened += 1;
    if (opened === Number(count)) process.send?.({ ready: true });
  });
  socket.on("data", (chunk) => (bytes += chunk.length));
}
process.on("message", () => process.send?.({ bytes }));
