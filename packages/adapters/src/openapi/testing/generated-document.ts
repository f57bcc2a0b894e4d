import type { Json, JsonObject } from "@paraph/core";

/** Generates a document with six operations for each kind of thing. */
export function generateDocument(kinds: number, over: JsonObject = {}): JsonObject {
  const names = Array.from({ length: kinds }, (_, index) => `thing${index}`);
  return {
    openapi: "3.1.0",
    info: { title: "A shop", version: "1" },
    paths: Object.fromEntries(names.flatMap(createPaths)),
    components: {
      schemas: {
        ...Object.fromEntries(names.map((name) => [name, thingSchema])),
        Label: {
          type: "object",
          properties: { text: { type: "string" }, parent: { $ref: "#/components/schemas/Label" } },
        },
      },
      parameters: {
        id: { name: "id", in: "path", required: true, schema: { type: "string", maxLength: 100 } },
        key: { name: "Idempotency-Key", in: "header", schema: { type: "string" } },
      },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
    security: [{ token: [] }],
    ...over,
  };
}

/** The schema of every kind of thing. */
export const thingSchema: JsonObject = {
  type: "object",
  required: ["id", "name"],
  properties: {
    id: { type: "string", readOnly: true },
    name: { type: "string", minLength: 1, maxLength: 50 },
    cents: { type: "integer", minimum: 0 },
    tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" } },
    pin: { type: "string", format: "password" },
    label: { $ref: "#/components/schemas/Label" },
  },
  additionalProperties: false,
};

function createPaths(name: string): [string, Json][] {
  const body = {
    required: true,
    content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
  };
  const answer = {
    "200": {
      description: "it",
      content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
    },
  };
  const operation = (verb: string, more: JsonObject = {}): JsonObject => ({
    operationId: `${verb}${name[0]!.toUpperCase()}${name.slice(1)}`,
    summary: `${verb} a ${name}`,
    responses: answer,
    ...more,
  });
  const limit = { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100 } };
  return [
    [
      `/${name}`,
      {
        get: operation("list", { parameters: [limit] }),
        post: operation("create", {
          parameters: [{ $ref: "#/components/parameters/key" }],
          requestBody: body,
        }),
      },
    ],
    [
      `/${name}/{id}`,
      {
        parameters: [{ $ref: "#/components/parameters/id" }],
        get: operation("get"),
        put: operation("replace", { requestBody: body }),
        patch: operation("change", {
          requestBody: {
            required: true,
            content: { "application/merge-patch+json": { schema: { type: "object" } } },
          },
        }),
        delete: operation("remove"),
      },
    ],
  ];
}
