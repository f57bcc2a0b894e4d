import { startMeasured } from "../lib/measured-process.ts";
import { config } from "./config.ts";

await startMeasured(config, import.meta.url);
