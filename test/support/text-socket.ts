import type { Socket } from "node:net";

/** The server's end of a WebSocket (RFC 6455) for text messages in one frame each. */
export class TextSocket {
  isOpen = true;
  #pending = Buffer.alloc(0);
  readonly #socket: Socket;

  constructor(socket: Socket, onText: (text: string) => void) {
    this.#socket = socket;
    socket.on("error", () => {});
    socket.on("close", () => {
      this.isOpen = false;
    });
    socket.on("data", (data: Buffer) => {
      this.#pending = Buffer.concat([this.#pending, data]);
      for (let frame = this.#take(); frame; frame = this.#take()) {
        if (frame.opcode === 1) onText(frame.payload.toString());
        if (frame.opcode === 9) this.#write(10, frame.payload);
        if (frame.opcode === 8) this.end();
      }
    });
  }

  send(text: string): void {
    this.#write(1, Buffer.from(text));
  }

  end(): void {
    this.isOpen = false;
    this.#socket.destroy();
  }

  #write(opcode: number, payload: Buffer): void {
    const length =
      payload.length < 126
        ? [payload.length]
        : payload.length < 65_536
          ? [126, payload.length >> 8, payload.length & 255]
          : undefined;
    if (!length) throw new Error("the message is too long for this server");
    if (this.isOpen) this.#socket.write(Buffer.concat([Buffer.from([0x80 | opcode, ...length]), payload]));
  }

  /** Takes one masked frame of the client. */
  #take(): { readonly opcode: number; readonly payload: Buffer } | undefined {
    const data = this.#pending;
    if (data.length < 2) return undefined;
    const short = data[1]! & 127;
    const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (data.length < 2 + extra + 4) return undefined;
    const length = extra === 0 ? short : extra === 2 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
    const start = 2 + extra + 4;
    if (data.length < start + length) return undefined;
    const mask = data.subarray(2 + extra, start);
    const payload = Buffer.from(
      data.subarray(start, start + length).map((byte, index) => byte ^ mask[index % 4]!),
    );
    this.#pending = data.subarray(start + length);
    return { opcode: data[0]! & 15, payload };
  }
}
