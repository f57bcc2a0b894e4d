import { createOpenApiDocument } from "../../packages/server/src/http/index.ts";
import { formatCodeBlock, formatPage, formatTable, toCode, toSentence, wrapParagraph } from "./markdown.ts";

/** The parts of an OpenAPI operation that the page shows. */
interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: SchemaRef }>> };
  readonly responses: Readonly<Record<string, ApiResponse>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: {
    readonly type?: string;
    readonly enum?: readonly string[];
    readonly default?: unknown;
    readonly example?: unknown;
  };
}

interface SchemaRef {
  readonly $ref?: string;
}

interface ApiResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema?: SchemaRef }>>;
}

interface Entry extends Operation {
  readonly method: string;
  readonly path: string;
}

export function renderHttpApiPage(): string {
  const { paths = {}, tags = [] } = createOpenApiDocument();
  const entries = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, Operation>>).map(
      ([method, operation]): Entry => ({ ...operation, method: method.toUpperCase(), path }),
    ),
  );
  return formatPage(
    "HTTP API",
    wrapParagraph(
      "Every operation of the HTTP API, with its scopes, parameters and responses. A running server shows the same with all schemas under `/docs`, and serves the OpenAPI document under `/openapi.json`. The repository holds it as [contracts/openapi.json](../../contracts/openapi.json).",
    ),
    formatCodeBlock(
      "sh",
      `curl -X POST "$PARAPH_URL/v1/calls" \\
  -H "Authorization: Bearer $PARAPH_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: greeting-1" \\
  -d '{ "capability": "files.write", "input": { "path": "hello.txt", "content": "Hello" } }'`,
    ),
    wrapParagraph(
      "Send an API key or an access token as `Authorization: Bearer …`. A key with scopes needs one of the scopes that an operation names. A key without scopes has all rights of its principal ([Identity](../guides/identity.md)).",
    ),
    wrapParagraph(
      "Errors are problem details as in RFC 9457, with the media type `application/problem+json` and a stable `code`. [Error codes](errors.md) says what each code means. Every operation can also respond with 500 `internal`.",
    ),
    ...tags.flatMap(({ name, description = "" }) => {
      const own = entries.filter((entry) => entry.tags?.includes(name));
      return [
        `## ${name}`,
        toSentence(description),
        formatTable(
          ["Operation", "Summary", "Scopes"],
          own.map((entry) => [
            toCode(`${entry.method} ${entry.path}`),
            toSentence(entry.summary ?? ""),
            formatScopes(entry),
          ]),
        ),
        ...own.flatMap(formatOperation),
      ];
    }),
  );
}

function formatOperation(entry: Entry): string[] {
  const { method, path, summary = "", description = "", parameters = [], requestBody } = entry;
  const body = requestBody && readSchemaName(Object.values(requestBody.content)[0]?.schema);
  const shown = parameters.filter(({ in: place }) => place !== "path");
  const scopes = formatScopes(entry);
  const access = entry.security ? `Scopes: ${scopes}.` : "Needs no API key.";
  return [
    `### ${method} ${path}`,
    wrapParagraph(
      [toSentence(summary), toSentence(description), access, ...(body ? [`Body: \`${body}\`.`] : [])]
        .filter(Boolean)
        .join(" "),
    ),
    ...(shown.length > 0 ? [formatParameters(shown)] : []),
    formatResponses(entry.responses),
  ];
}

function formatScopes({ security }: Operation): string {
  if (!security) return "none";
  return security
    .flatMap((each) => Object.values(each).flat())
    .map(toCode)
    .join(", ");
}

/** Formats the parameters. The path already shows its own ones. */
function formatParameters(parameters: readonly Parameter[]): string {
  return formatTable(
    ["Parameter", "In", "Description"],
    parameters.map(({ name, in: place, required, description, schema = {} }) => {
      const facts = [
        required ? "Required." : "",
        toSentence(description ?? ""),
        schema.enum ? `One of ${schema.enum.map((each) => toCode(String(each))).join(", ")}.` : "",
        schema.default === undefined ? "" : `Default: ${toCode(String(schema.default))}.`,
      ].filter(Boolean);
      const example = schema.example === undefined ? "" : `For example ${toCode(String(schema.example))}.`;
      return [toCode(name), place, facts.length > 0 ? facts.join(" ") : example];
    }),
  );
}

/** Formats the responses. For a problem, only the codes are listed: the page of error codes explains them. */
function formatResponses(responses: Operation["responses"]): string {
  const entries = Object.entries(responses).filter(([status]) => status !== "500");
  const isProblem = ({ content = {} }: ApiResponse) => "application/problem+json" in content;
  const problems = entries.flatMap(([status, response]) => {
    if (!isProblem(response)) return [];
    const codes = [...response.description.matchAll(/`([a-z-]+)`: /g)].map(([, code]) => toCode(code!));
    return [`${status} ${codes.join(", ")}`];
  });
  const others = entries
    .filter(([, response]) => !isProblem(response))
    .map(([status, { description, content = {} }]) => {
      const name = readSchemaName(content["application/json"]?.schema);
      return `${toCode(status)}: ${toSentence(description)}${name ? ` Body: \`${name}\`.` : ""}`;
    });
  return [...others, ...(problems.length > 0 ? [`Problems: ${problems.join("; ")}.`] : [])]
    .map((text) => `- ${wrapParagraph(text).replaceAll("\n", "\n  ")}`)
    .join("\n");
}

function readSchemaName(schema: SchemaRef | undefined): string | undefined {
  return schema?.$ref?.split("/").at(-1);
}
