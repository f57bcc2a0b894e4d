export { createRestateEngine } from "./engine.ts";
export { createEngineConnection, parseEngineUrl } from "./engine-connection.ts";
export { keepWorkerRegistered, type WorkerRegistration } from "./keep-registered.ts";
export { startWorker, type Worker } from "./worker.ts";
