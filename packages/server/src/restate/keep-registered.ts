import { objectName } from "./call-object.ts";
import { register } from "./register.ts";

/** Registers the worker, and again whenever the engine has forgotten it: an engine may lose its disk at any time. */
export async function keepRegistered(
  adminUrl: string,
  workerUrl: string,
  onProblem: (code: string) => void,
): Promise<{ stop(): void }> {
  await register(adminUrl, workerUrl);
  let busy = false;
  const look = async () => {
    if (busy) return;
    busy = true;
    try {
      if ((await isForgotten(adminUrl)) === true) await register(adminUrl, workerUrl, 1_000);
    } catch {
      onProblem("engine-registration");
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void look(), 1_000);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Undefined while the engine is away: there is nothing to tell it. */
async function isForgotten(adminUrl: string): Promise<boolean | undefined> {
  try {
    const response = await fetch(new URL(`/services/${objectName}`, adminUrl), {
      signal: AbortSignal.timeout(2_000),
    });
    await response.body?.cancel();
    return response.status === 404;
  } catch {
    return undefined;
  }
}
