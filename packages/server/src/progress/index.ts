export { createProgressReporter } from "./progress-reporter.ts";
