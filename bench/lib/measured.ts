import { machine } from "./machine.ts";
import { Progress } from "./progress.ts";
import { type Starting, withFolder, within } from "./scope.ts";

/** What was measured in a folder of its own, within so many seconds, and on which machine; everything started for it is gone. */
export async function measuredIn<T>(
  seconds: number,
  signal: AbortSignal,
  measure: (folder: string, progress: Progress, starting: Starting) => Promise<T>,
): Promise<{ readonly measured: T; readonly about: ReturnType<typeof machine> }> {
  const progress = new Progress();
  const result = await withFolder(
    async (folder, starting) => ({
      about: machine(folder),
      measured: await within(seconds, signal, measure(folder, progress, starting)),
    }),
    () => progress.say("stopping"),
  );
  progress.end();
  return result;
}
