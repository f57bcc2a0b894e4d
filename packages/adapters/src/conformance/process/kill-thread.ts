// The thread that kills its process. See `schedule-kill.ts`.
import { parentPort, workerData } from "node:worker_threads";

const { gate, afterMs } = workerData as { gate: Int32Array<SharedArrayBuffer>; afterMs: number };
parentPort!.postMessage("ready");
Atomics.wait(gate, 0, 0);
Atomics.wait(gate, 0, 1, afterMs);
process.kill(process.pid, "SIGKILL");
