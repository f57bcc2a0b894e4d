export { restateEngine } from "./engine.ts";
export { engineConnection, engineTarget } from "./engine-connection.ts";
export { type KeptRegistration, keepRegistered } from "./keep-registered.ts";
export { startWorker, type Worker } from "./worker.ts";
