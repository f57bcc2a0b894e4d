import { connect, createServer, type Socket } from "node:net";

/** When a connection breaks: before the n-th question reaches the database, or once it has been answered. */
export interface ConnectionCut {
  readonly at: number;
  readonly when: "before" | "after";
  /** Done in that moment, before the connection breaks. */
  readonly meanwhile?: () => Promise<void>;
}

/** A way to the database that breaks at a chosen question. */
export interface CuttableConnection extends AsyncDisposable {
  readonly url: string;
  /** How many questions there were. */
  readonly queryCount: number;
  /** From now on, counted from one. */
  cut(next: ConnectionCut | undefined): void;
}

export async function createCuttableConnection(to: string): Promise<CuttableConnection> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let [cut, asked]: [ConnectionCut | undefined, number] = [undefined, 0];

  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    let lost = false;
    const breakNow = async ({ meanwhile }: ConnectionCut) => {
      lost = true;
      await meanwhile?.();
      client.destroy();
      database.destroy();
    };
    client.on("data", (chunk) => {
      if (isQuery(chunk)) asked += 1;
      if (lost) return;
      if (isQuery(chunk) && cut?.at === asked && cut.when === "before") return void breakNow(cut);
      database.write(chunk);
    });
    database.on("data", (chunk) => {
      if (lost) return;
      if (cut?.at === asked && cut.when === "after") return void breakNow(cut);
      client.write(chunk);
    });
    client.on("close", () => database.destroy());
    database.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const way = new URL(to);
  way.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return {
    url: way.href,
    get queryCount() {
      return asked;
    },
    cut(next) {
      [cut, asked] = [next, 0];
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A statement, plain or to be parsed: pg sends each as a whole and waits for its answer. */
function isQuery(chunk: Buffer): boolean {
  return chunk[0] === 0x51 || chunk[0] === 0x50;
}
