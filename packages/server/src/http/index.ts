export { cloudEvent, observationEvent } from "./cloud-event.ts";
export { openApiDocument } from "./document.ts";
export { callbackPath } from "./login.ts";
export { serveHttp } from "./serve.ts";
