import { connect, createServer, type Socket } from "node:net";

/** The time of the break: before query number `at` reaches the database, or after the database answered it. */
export interface ConnectionCut {
  readonly at: number;
  readonly when: "before" | "after";
  /** A function that runs at that time, before the connection breaks. */
  readonly meanwhile?: () => Promise<void>;
}

/** A proxy to the database that breaks the connection at a chosen query. */
export interface CuttableConnection extends AsyncDisposable {
  readonly url: string;
  /** The number of queries since the last `cut`. */
  readonly queryCount: number;
  /** Sets the next break and restarts the count, which begins at one. */
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

/**
 * Whether a chunk is a statement, as a simple query or a Parse message. The driver sends each statement in one chunk
 * and waits for the answer.
 */
function isQuery(chunk: Buffer): boolean {
  return chunk[0] === 0x51 || chunk[0] === 0x50;
}
