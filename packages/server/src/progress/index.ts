export { createProgressReporter } from "./report.ts";
