import { Client, type ClientConfig, type Connection } from "pg";
import { MessageGuard, ResponseRefused, responseUnreadableFault } from "./message-guard.ts";

interface ByteStream {
  on(event: string, listener: (...given: never[]) => void): unknown;
  destroy(error: Error): unknown;
}

/** What the driver's connection does once it has a stream, after TLS where there is any. */
interface AttachableConnection {
  attachListeners(stream: ByteStream): void;
}

/** [TRUST 29] A client whose connection ends, and nothing else, when what it is sent is too long or makes its driver throw. */
export class GuardedClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const connection = (this as unknown as { readonly connection: Connection & AttachableConnection })
      .connection;
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => attach(guardStream(stream));
  }
}

/** The stream as the driver sees it: it only listens to it. */
function guardStream(stream: ByteStream): ByteStream {
  const guard = new MessageGuard();
  let isBroken = false;
  const passing = (listener: (chunk: Buffer) => void) => (chunk: Buffer) => {
    if (isBroken) return;
    try {
      guard.watch(chunk);
      listener(chunk);
    } catch (error) {
      isBroken = true;
      stream.destroy(error instanceof ResponseRefused ? error : responseUnreadableFault());
    }
  };
  return {
    on(event, listener) {
      return stream.on(event, event === "data" ? (passing(listener as never) as never) : listener);
    },
    destroy: (error) => stream.destroy(error),
  };
}
