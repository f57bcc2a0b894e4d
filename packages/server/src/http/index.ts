export { callbackPath } from "../services/types/login-types.ts";
export { openApiDocument } from "./document.ts";
export { serveHttp } from "./serve.ts";
export { cloudEvent, observationEvent } from "./views/cloud-event.ts";
