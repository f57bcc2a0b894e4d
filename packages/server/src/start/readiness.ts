/** The checks by name. Each rejects if its dependency does not work. */
type ReadinessChecks = Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>>;

const timeoutMs = 2_000;
const cacheMs = 1_000;

/**
 * Creates a function that runs all checks, each for at most two seconds. All callers share one result for a second.
 * Frequent requests therefore cause no further checks, and checks of an unresponsive dependency do not pile up.
 */
export function createReadiness(
  parts: ReadinessChecks,
  now: () => number = () => performance.now(),
): () => Promise<Record<string, boolean>> {
  let asked: Promise<Record<string, boolean>> | undefined;
  let until = Number.POSITIVE_INFINITY;
  const ask = async () => {
    const found = await Promise.all(
      Object.entries(parts).map(async ([name, works]) => [name, await isReadyInTime(works)] as const),
    );
    until = now() + cacheMs;
    return Object.fromEntries(found);
  };
  return () => {
    if (asked && now() < until) return asked;
    until = Number.POSITIVE_INFINITY;
    asked = ask();
    return asked;
  };
}

async function isReadyInTime(works: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs);
  const late = new Promise<false>((resolve) => {
    signal.addEventListener("abort", () => resolve(false), { once: true });
  });
  const result = works(signal).then(
    () => true,
    () => false,
  );
  return Promise.race([result, late]);
}
