import { startMeasuredProcess } from "../lib/measured-process.ts";
import { sizeConfig } from "./config.ts";

await startMeasuredProcess(sizeConfig, import.meta.url);
