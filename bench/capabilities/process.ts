import { startMeasuredProcess } from "../lib/measured-process.ts";
import { capabilitiesConfig } from "./config.ts";

await startMeasuredProcess(capabilitiesConfig, import.meta.url);
