import { sendToParent } from "../lib/in-child.ts";
import { startMeasuredProcess } from "../lib/measured-process.ts";
import { Profiler } from "../lib/profiler.ts";
import { callConfig, countEffects } from "./config.ts";

const profiler = new Profiler();

await startMeasuredProcess(callConfig, import.meta.url, () => {
  process.on("message", async ({ kind }: { kind: string }) => {
    if (kind === "effects") await sendToParent({ kind, count: countEffects() });
    if (kind === "profile") {
      profiler.start();
      await sendToParent({ kind: "profiling" });
    }
    if (kind === "profiled") await sendToParent({ kind, profile: profiler.stop() });
  });
});
