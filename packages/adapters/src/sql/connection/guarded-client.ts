import { Client, type ClientConfig, type Connection } from "pg";
import { MessageGuard, ResponseRefused, responseUnreadableFault } from "./message-guard.ts";

interface ByteStream {
  on(event: string, listener: (...given: never[]) => void): unknown;
  destroy(error: Error): unknown;
}

/**
 * A connection with the method that the driver calls when the connection's stream is ready. If the server uses TLS, the
 * driver calls the method after the TLS handshake.
 */
interface AttachableConnection {
  attachListeners(stream: ByteStream): void;
}

/**
 * [TRUST 29] A client that protects the process from the server's data. If the data is too long or makes the driver
 * throw, the client closes only its own connection.
 */
export class GuardedClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const connection = (this as unknown as { readonly connection: Connection & AttachableConnection })
      .connection;
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => attach(guardStream(stream));
  }
}

/**
 * Returns a wrapper with the two stream methods that the driver uses. The wrapper checks each chunk before the driver
 * gets it.
 */
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
