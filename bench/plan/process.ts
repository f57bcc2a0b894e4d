import { startMeasuredProcess } from "../lib/measured-process.ts";
import { planConfig } from "./config.ts";

await startMeasuredProcess(planConfig, import.meta.url);
