export { restateEngine } from "./engine.ts";
export { keepRegistered } from "./keep-registered.ts";
export { startWorker } from "./worker.ts";
