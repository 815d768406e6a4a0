import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";

export interface NameServer {
  /** `host:port` for a resolver. */
  readonly address: string;
  /** Received questions, as `name type`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** The records of each name: addresses, or `silence` for a server that never answers. A function is called each time. */
export type Zone = Readonly<Record<string, readonly string[] | "silence" | (() => readonly string[])>>;

const TYPE_A = 1;
const TYPE_AAAA = 28;

/** Starts a name server on loopback that answers with the zone, as an attacker's server would. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (message, peer) => {
    const { name, type, end } = questionOf(message);
    asked.push(`${name} ${type === TYPE_A ? "A" : "AAAA"}`);
    const entry = zone[name];
    const found = typeof entry === "function" ? entry() : entry;
    if (found === "silence") return;
    socket.send(answerTo(message.subarray(0, end), type, found), peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}

/** Parses the question, RFC 1035 section 4.1.2. */
function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, type: number, found: readonly string[] | undefined): Buffer {
  const wanted = type === TYPE_AAAA ? 6 : 4;
  const records = (found ?? []).filter((address) => isIP(address) === wanted).map((address) => recordOf(type, address));
  const head = Buffer.from(question);
  head.writeUInt16BE(found === undefined ? 0x8183 : 0x8180, 2); // an answer; 3: there is no such name
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

function recordOf(type: number, address: string): Buffer {
  const data = type === TYPE_A ? Buffer.from(address.split(".").map(Number)) : bytesOfV6(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // The name of the question.
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** Parses a full address, or one with `::`, without an embedded IPv4 address. */
function bytesOfV6(address: string): Buffer {
  const [left = "", right] = address.split("::");
  const groups = (text: string): number[] =>
    text
      .split(":")
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16));
  const [head, tail] = [groups(left), groups(right ?? "")];
  const all = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
  const bytes = Buffer.alloc(16);
  all.forEach((group, i) => bytes.writeUInt16BE(group, i * 2));
  return bytes;
}
