import { Duplex } from "node:stream";

/** The peer's address, which the server reads from a socket. */
export interface PeerFacts {
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  /** Set on connections with TLS. */
  readonly encrypted?: boolean;
}

/** Creates the error of a connection that its peer has reset. */
function reset(): Error {
  return Object.assign(new Error("the other side closed the connection"), { code: "ECONNRESET" });
}

/**
 * One end of a connection within this process. It behaves like a socket: it has the peer's address, counts the
 * bytes, and ends for the other side only after all bytes.
 */
class End extends Duplex implements PeerFacts {
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  readonly encrypted: boolean;
  bytesRead = 0;
  bytesWritten = 0;
  #other: End | undefined;
  /** Continues the other side's write when this side reads again. */
  #continue: ((error?: Error) => void) | undefined;

  constructor({ remoteAddress, remotePort, encrypted = false }: PeerFacts) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
    this.encrypted = encrypted;
  }

  connect(other: End): void {
    this.#other = other;
  }

  /** Sends all written bytes, then closes. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  override _read(): void {
    const proceed = this.#continue;
    this.#continue = undefined;
    proceed?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.bytesWritten += chunk.length;
    if (this.#other === undefined || this.#other.destroyed) done(reset());
    else this.#other.#receive(chunk, done);
  }

  override _final(done: () => void): void {
    if (this.#other?.destroyed === false) this.#other.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const proceed = this.#continue;
    this.#continue = undefined;
    proceed?.(reset());
    // Bytes that were sent before an orderly end still arrive.
    if (!this.writableFinished) this.#other?.destroy(reset());
    done(error);
  }

  #receive(chunk: Buffer, done: (error?: Error) => void): void {
    this.bytesRead += chunk.length;
    if (this.push(chunk)) done();
    else this.#continue = done;
  }
}

/** Creates two ends of one connection: bytes that are written to one are read from the other, with backpressure. */
export function connectedPair(peer: PeerFacts): readonly [Duplex, Duplex] {
  const [client, server] = [new End(peer), new End(peer)];
  client.connect(server);
  server.connect(client);
  return [client, server];
}
