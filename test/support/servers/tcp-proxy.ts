import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  /**
   * With `drop`, connections stay open and no data passes, as when a firewall drops packets. With `mute`, only the
   * answers of the server are dropped. With `refuse`, connections are closed.
   */
  mode: "pass" | "drop" | "mute" | "refuse";
  /** The port to which new connections go. */
  target: number;
  cut(): void;
  close(): Promise<void>;
}

/** Opens a TCP proxy on loopback that can fail as networks do. `host` is the loopback address at which it listens. */
export async function openTcpProxy(target: number, host = "127.0.0.1"): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket, other: () => Socket | undefined, passes: readonly TcpProxy["mode"][]) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      other()?.destroy();
    });
    // Dropped data is lost, so the connection stays stuck after the mode changes back to `pass`.
    socket.on("data", (chunk) => passes.includes(proxy.mode) && other()?.write(chunk));
  };
  const server = createServer((near) => {
    if (proxy.mode === "refuse") return near.destroy();
    const far = proxy.mode === "pass" ? connect(proxy.target, "127.0.0.1") : undefined;
    keep(near, () => far, ["pass", "mute"]);
    if (far) keep(far, () => near, ["pass"]);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    mode: "pass",
    target,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        proxy.cut();
      }),
  };
  return proxy;
}

export function toProxyUrl(url: string, { port }: TcpProxy): string {
  const through = new URL(url);
  through.port = String(port);
  return through.href;
}
