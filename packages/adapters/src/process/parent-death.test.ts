import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createSleepDuration, hasSandbox, waitForRunning } from "./testing.ts";

it.runIf(hasSandbox)(
  "[P2] the processes in the sandbox end when Paraph's own process is killed",
  async () => {
    const sleep = createSleepDuration();
    const program = `
    import { runProcess } from ${JSON.stringify(fileURLToPath(new URL("./run.ts", import.meta.url)))};
    const signal = new AbortController().signal;
    const args = ["-c", "(setsid sleep ${sleep} &); echo ready; sleep ${sleep}"];
    await runProcess({ binary: "sh", args, cwd: "/", signal, sandbox: {}, onOutput: (said) => process.stdout.write(said) });`;
    const ours = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(ours.stdout, "data");
    await waitForRunning(sleep, 2);
    ours.kill("SIGKILL");
    await once(ours, "exit");
    await waitForRunning(sleep, 0);
    expect(ours.signalCode).toBe("SIGKILL");
  },
);
