import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";

/**
 * A mailbox that speaks the part of IMAP which Paraph uses, over a socket. It is no complete server. The
 * acceptance story of mail uses Dovecot.
 */
export class ImapServer {
  uidValidity = 1;
  /** Called before a message is returned. Returning false loses it, and closes the connection. */
  beforeFetch: (uid: number) => boolean = () => true;
  /** The numbers of the messages that clients fetched, in order. */
  readonly fetched: number[] = [];
  readonly #messages: { readonly uid: number; readonly raw: Buffer }[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #idling = new Map<Socket, string>();
  /** The number of messages that each client knows of. */
  readonly #told = new Map<Socket, number>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
      socket.write("* OK [CAPABILITY IMAP4rev1 IDLE] ready\r\n");
      let rest = "";
      socket.on("data", (chunk) => {
        const lines = (rest + chunk.toString("latin1")).split("\r\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.#answer(socket, line);
      });
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return this;
  }

  get url(): string {
    return `imap://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Delivers a message, and tells the clients that wait. */
  deliver(raw: Buffer): number {
    const uid = (this.#messages.at(-1)?.uid ?? 0) + 1;
    this.#messages.push({ uid, raw });
    for (const socket of this.#idling.keys()) this.#announce(socket);
    return uid;
  }

  #announce(socket: Socket): void {
    const count = this.#messages.length;
    if (this.#told.get(socket) === count) return;
    this.#told.set(socket, count);
    socket.write(`* ${count} EXISTS\r\n`);
  }

  /** Closes all connections, as a restarted server does. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.drop();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #answer(socket: Socket, line: string): void {
    if (line.toUpperCase() === "DONE") {
      socket.write(`${this.#idling.get(socket) ?? "*"} OK done\r\n`);
      this.#idling.delete(socket);
      return;
    }
    const [tag = "*", first = "", ...args] = line.split(" ");
    const command = (first.toUpperCase() === "UID" ? `UID ${args.shift()}` : first).toUpperCase();
    const text = args.join(" ");
    switch (command) {
      case "CAPABILITY":
        socket.write("* CAPABILITY IMAP4rev1 IDLE\r\n");
        break;
      case "SELECT":
      case "EXAMINE":
        this.#told.set(socket, this.#messages.length);
        socket.write(
          `* ${this.#messages.length} EXISTS\r\n* FLAGS ()\r\n* OK [UIDVALIDITY ${this.uidValidity}] valid\r\n* OK [UIDNEXT ${this.#messages.length + 1}] next\r\n`,
        );
        break;
      case "LIST":
        socket.write(`* LIST () "/" "INBOX"\r\n`);
        break;
      case "IDLE":
        this.#idling.set(socket, tag);
        socket.write("+ idling\r\n");
        this.#announce(socket);
        return;
      case "UID FETCH":
        if (!this.#fetch(socket, text)) return;
        break;
      case "UID SEARCH":
        socket.write(`* SEARCH ${this.#messages.map(({ uid }) => uid).join(" ")}\r\n`);
        break;
      default:
        break;
    }
    socket.write(`${tag} OK ${first} done\r\n`);
  }

  /** Returns false if the message was lost with the connection. */
  #fetch(socket: Socket, text: string): boolean {
    const [from = 0, until] = (text.split(" ")[0] ?? "").split(":");
    const last = this.#messages.at(-1)?.uid ?? 0;
    const isWanted = (uid: number) =>
      until === undefined ? uid === Number(from) : uid >= Number(from) || uid === last;
    for (const [index, { uid, raw }] of this.#messages.entries()) {
      if (!isWanted(uid)) continue;
      if (!text.includes("BODY")) {
        socket.write(`* ${index + 1} FETCH (UID ${uid} RFC822.SIZE ${raw.length})\r\n`);
        continue;
      }
      if (!this.beforeFetch(uid)) {
        socket.destroy();
        return false;
      }
      this.fetched.push(uid);
      socket.write(`* ${index + 1} FETCH (UID ${uid} BODY[] {${raw.length}}\r\n`);
      socket.write(raw);
      socket.write(")\r\n");
    }
    return true;
  }
}
