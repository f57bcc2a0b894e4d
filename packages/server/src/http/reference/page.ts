import type { OpenApiDocument } from "../document.ts";
export function referencePage(document: OpenApiDocument): string {
  return document.info.title;
}
