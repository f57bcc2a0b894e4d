import { describeMachine } from "./machine.ts";
import { BenchProgress } from "./progress.ts";
import { type TrackStart, withFolder, withTimeout } from "./with-folder.ts";

/** What was measured in a folder of its own, within so many seconds, and on which machine; everything started for it is gone. */
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
