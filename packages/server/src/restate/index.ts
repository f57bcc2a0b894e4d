export { restateEngine } from "./engine.ts";
export { keepRegistered } from "./keep-registered.ts";
export { startWorker, type Worker } from "./worker.ts";
