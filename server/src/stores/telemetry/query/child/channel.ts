import { Socket } from "node:net";
import { frame, frameHead } from "../frames.ts";

/** The child's side of the socket. */
export interface Channel {
  /** Sends a frame. Resolves when the reader is ready for the next one. */
  send(kind: number, payload?: Buffer | string): Promise<void>;
  onBytes(listener: (bytes: Buffer) => void): void;
}

const CHANNEL_FD = 3;

/** Opens the socket that the engine passed as descriptor 3. The child ends when the socket closes. */
export function openChannel(): Channel {
  const socket = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  const end = (): void => {
    process.kill(process.pid, "SIGKILL"); // process.exit would wait for the engine's threads
  };
  socket.on("close", end);
  socket.on("error", end);
  return {
    send: async (kind, payload = "") => {
      if (typeof payload !== "string" && payload.length > 0) {
        socket.cork();
        socket.write(frameHead(kind, payload.length));
        const open = socket.write(payload);
        socket.uncork();
        if (!open) await drained(socket);
        return;
      }
      if (!socket.write(frame(kind, payload))) await drained(socket);
    },
    onBytes: (listener) => {
      socket.on("data", listener);
    },
  };
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("drain", resolve);
  });
}
