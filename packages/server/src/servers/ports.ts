import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { ServerError } from "./server-error.ts";

// Below every system's range for outgoing connections (Linux starts at 32768). A port from that range could be
// taken by any outgoing connection between probe and bind, and polling it while nobody listens can connect to
// itself, which then keeps the server from binding.
const LOWEST = 20_000;
const HIGHEST = 32_767;

const handedOut = new Set<number>();

/** A port of 127.0.0.1 that nobody listens on and that this process has not handed out before. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (handedOut.has(port)) continue;
    if (!(await isFree(port))) continue;
    handedOut.add(port);
    return port;
  }
  throw new ServerError("port-in-use", `No free port between ${LOWEST} and ${HIGHEST} on 127.0.0.1.`);
}

/** Another server on a given port would answer our health checks in place of ours: refuse before starting. */
export async function requireFree(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    if (await isFree(port)) continue;
    throw new ServerError(
      "port-in-use",
      `Port ${port} on 127.0.0.1 is in use. Stop what listens there or choose another port.`,
    );
  }
}

/** A chosen port can still be lost between choosing and binding; then choose again. */
export async function withFreshPorts<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      const lostPort = error instanceof ServerError && error.code === "port-in-use";
      if (!lostPort || attempt === 5) throw error;
    }
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1" }, () => probe.close(() => resolve(true)));
  });
}
