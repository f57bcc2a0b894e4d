export type { LogLine, Span } from "./context.ts";
export { openApiDocument } from "./document.ts";
export { type HttpOptions, type HttpServer, serveHttp } from "./serve.ts";
export type { Service } from "./service.ts";
