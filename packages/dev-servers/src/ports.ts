import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { ServerError } from "./server-error.ts";

// The range from `minPort` to `maxPort` is below every system's range for outgoing connections (Linux starts at 32768).
// An outgoing connection could take a port of the system's range between the probe and the bind. A client that polls
// such a port before the server listens can also connect to itself. The server then cannot bind the port.
const minPort = 20_000;
const maxPort = 32_767;

const usedPorts = new Set<number>();

/** Returns a port of 127.0.0.1 that is free and that this process has not returned before. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const port = randomInt(minPort, maxPort + 1);
    if (usedPorts.has(port)) continue;
    if (!(await isPortFree(port))) continue;
    usedPorts.add(port);
    return port;
  }
  throw new ServerError(
    "port-in-use",
    `Paraph found no free port between ${minPort} and ${maxPort} on 127.0.0.1. Stop processes that use these ports, then try again.`,
  );
}

/** Rejects ports that are in use, because another server there would answer the health checks in place of ours. */
export async function requireFreePorts(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    if (await isPortFree(port)) continue;
    throw new ServerError(
      "port-in-use",
      `Port ${port} on 127.0.0.1 is in use. Stop the process that listens there, or choose another port with \`--port\`.`,
    );
  }
}

/**
 * Calls `start` again if another process took the chosen port before the server could bind it. Each call of `start`
 * chooses a new port.
 */
export async function retryWithFreshPorts<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      const lostPort = error instanceof ServerError && error.code === "port-in-use";
      if (!lostPort || attempt === 5) throw error;
    }
  }
}

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1" }, () => probe.close(() => resolve(true)));
  });
}
