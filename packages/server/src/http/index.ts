export { createOpenApiDocument } from "./openapi-document.ts";
export { serveHttp } from "./serve.ts";
export { toCloudEvent, toObservationEvent } from "./views/cloud-event.ts";
