import { startMeasuredProcess } from "../lib/measured-process.ts";
import { burstConfig } from "./config.ts";

await startMeasuredProcess(burstConfig, import.meta.url);
