export { reporterTo } from "./report.ts";
