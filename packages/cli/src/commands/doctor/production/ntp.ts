import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Asks systemd whether the kernel's clock is synchronised. Undefined if this host has no answer. */
export async function readNtp(environment: NodeJS.ProcessEnv): Promise<boolean | undefined> {
  try {
    const { stdout } = await promisify(execFile)(
      "timedatectl",
      ["show", "--property=NTPSynchronized", "--value"],
      { env: environment, timeout: 3_000 },
    );
    return stdout.trim() === "" ? undefined : stdout.trim() === "yes";
  } catch {
    return undefined;
  }
}
