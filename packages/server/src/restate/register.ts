import { setTimeout as sleep } from "node:timers/promises";

/** Tells the engine where the workers are. A just-started engine needs a moment before it listens to that. */
export async function register(adminUrl: string, workerUrl: string, patienceMs = 15_000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const problem = await tryRegister(adminUrl, workerUrl);
    if (problem === undefined) return;
    if (performance.now() > deadline)
      throw new Error(`The engine at ${adminUrl} does not accept the worker ${workerUrl}: ${problem}.`);
    await sleep(100);
  }
}

async function tryRegister(adminUrl: string, workerUrl: string): Promise<string | undefined> {
  try {
    const response = await fetch(new URL("/deployments", adminUrl), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ uri: workerUrl, force: true }),
      signal: AbortSignal.timeout(5_000),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `HTTP ${response.status}`;
  } catch {
    return "no answer";
  }
}
