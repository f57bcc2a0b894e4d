import { tell } from "../lib/in-child.ts";
import { startMeasured } from "../lib/measured-process.ts";
import { Profiler } from "../lib/profiler.ts";
import { config, effects } from "./config.ts";

const profiler = new Profiler();

await startMeasured(config, import.meta.url, () => {
  process.on("message", async ({ kind }: { kind: string }) => {
    if (kind === "effects") await tell({ kind, count: effects() });
    if (kind === "profile") {
      profiler.start();
      await tell({ kind: "profiling" });
    }
    if (kind === "profiled") await tell({ kind, profile: profiler.stop() });
  });
});
