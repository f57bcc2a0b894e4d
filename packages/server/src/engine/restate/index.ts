export { createRestateEngine } from "./engine.ts";
export { createEngineConnection, parseEngineUrl } from "./engine-connection.ts";
export { keepWorkerRegistered, type WorkerRegistration } from "./registration.ts";
export { startWorker, type Worker } from "./worker.ts";
