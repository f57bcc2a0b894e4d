export { createRestateEngine } from "./engine.ts";
export { createEngineConnection, parseEngineUrl } from "./engine-connection.ts";
export { createRestateProcessEngine, type RestateAddress } from "./process-engine.ts";
