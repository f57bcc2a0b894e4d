import { spawn } from "node:child_process";
import { once } from "node:events";

/** Starts a program that outlives this process. Returns false if it cannot be started. */
export async function launchProgram([program, ...args]: readonly [string, ...string[]]): Promise<boolean> {
  const child = spawn(program, args, { detached: true, stdio: "ignore" });
  try {
    await once(child, "spawn");
    child.unref();
    return true;
  } catch {
    return false;
  }
}
