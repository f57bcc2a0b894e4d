export { createPostgresEngine } from "./engine.ts";
