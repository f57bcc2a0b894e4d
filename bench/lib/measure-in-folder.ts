import { describeMachine } from "./machine.ts";
import { BenchProgress } from "./progress.ts";
import { type TrackStart, withFolder, withTimeout } from "./with-folder.ts";

/**
 * Runs a measurement in its own folder within a time limit, describes the machine, and stops everything that the
 * measurement started.
 */
export async function measureInFolder<T>(
  seconds: number,
  signal: AbortSignal,
  measure: (folder: string, progress: BenchProgress, starting: TrackStart) => Promise<T>,
): Promise<{ readonly measured: T; readonly about: ReturnType<typeof describeMachine> }> {
  const progress = new BenchProgress();
  const result = await withFolder(
    async (folder, starting) => ({
      about: describeMachine(folder),
      measured: await withTimeout(seconds, signal, measure(folder, progress, starting)),
    }),
    () => progress.show("stopping"),
  );
  progress.end();
  return result;
}
