export { restateEngine } from "./engine.ts";
export { register } from "./register.ts";
export { startWorker, type Worker } from "./worker.ts";
