export { openApiDocument } from "./document.ts";
export { serveHttp } from "./serve.ts";
